// Package files gives the model of the native runtime three tools for the files of a
// working directory: read_file, write_file and list_files.
//
//	tools := files.Tools(worktree) // none for ""
//
// They are jailed in the directory. A path is relative to it, and one that is
// absolute, empty or leads out of it by ".." is refused before anything is looked at.
// Below that the operating system holds the jail (os.Root): a symbolic link that
// leads out, at any place of the path and also one that appears while the call runs,
// is refused; a link that stays inside is followed.
//
// A hard link looks like any file, and its other name may be outside of the
// directory. Nothing tells where that is, so a file with more than one name is
// neither read nor written. Nor is what is not a regular file: a pipe or a device
// could make the call wait for ever.
//
// A file is read as far as 64 KiB and never further. Bytes that are not UTF-8 become
// replacement characters, since the answer goes to a provider as JSON. What is
// written has the mode 0600, and directories made for it 0700; a file that is there
// keeps its mode.
//
// It imports the tool seam of the native runtime, a strict JSON codec and the
// standard library.
package files
