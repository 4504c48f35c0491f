// The protocol's own ends of standard input and output, out of the adapter's reach.
import fs from "node:fs";
import net from "node:net";

/**
 * Takes standard input and output for the protocol. Afterwards what anybody prints on
 * standard output, child processes included, goes to standard error, and standard
 * input is empty.
 *
 * Where a descriptor cannot be moved (Windows, sockets) only process.stdout.write,
 * and with it console.log, is led to standard error.
 *
 * @returns {{input: import("node:stream").Readable, write: (line: string) => void}}
 */
export function takeStdio() {
  const output = move(1, "w", 2);
  const input = move(0, "r", undefined);
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  if (output === 1) return { input: reader(input), write: (line) => void write(line) };
  return { input: reader(input), write: (line) => writeAll(output, Buffer.from(line)) };
}

// move opens the descriptor anew under another number and puts a harmless one in its
// place: the lowest free number is the one that was just closed. It returns the new
// number, or the old one where that does not work.
function move(fd, flags, instead) {
  const at = (n) => (process.platform === "linux" ? `/proc/self/fd/${n}` : `/dev/fd/${n}`);
  if (process.platform === "win32") return fd;
  let moved;
  try {
    moved = fs.openSync(at(fd), flags);
  } catch {
    return fd;
  }
  fs.closeSync(fd);
  let placed;
  try {
    placed = fs.openSync(instead === undefined ? "/dev/null" : at(instead), flags);
  } catch {
    placed = fs.openSync("/dev/null", flags);
  }
  if (placed !== fd) throw new Error(`descriptor ${fd} could not be replaced: it became ${placed}`);
  return moved;
}

function reader(fd) {
  try {
    return new net.Socket({ fd, readable: true, writable: false });
  } catch {
    return fs.createReadStream("", { fd, autoClose: false }); // a file
  }
}

// writeAll writes now, so that nothing is lost when the process ends.
function writeAll(fd, bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (err) {
      if (err.code === "EPIPE") process.exit(0); // nobody listens any more
      if (err.code !== "EAGAIN") throw err;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // the pipe is full
    }
  }
}
