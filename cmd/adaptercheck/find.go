package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// targets are what the arguments name: subjects by name, a command, or with no
// arguments all of the project, and where there is none all of this program. Named
// says that they were asked for one by one. The first arguments, skip of them, name
// something else.
func (sys system) targets(cmd *cobra.Command, args []string, skip int, flags *processFlags, p project) (found []target, named bool, err error) {
	dash, args := cmd.ArgsLenAtDash()-skip, args[skip:]
	switch given := flags.given(cmd); {
	case dash > 0:
		return nil, false, errors.New(`want subjects by name or a command after "--", not both`)
	case dash == 0:
		process, err := flags.process(sys, args)
		return []target{{process: &process}}, true, err
	case len(given) > 0:
		return nil, false, fmt.Errorf(`flag %s: is for a command after "--", and there is none`, given[0])
	case len(args) > 0:
		found, err = sys.find(args, p)
		return found, true, err
	case p.config.Path == "":
		for _, s := range sys.subjects() {
			found = append(found, linked(s))
		}
		return found, false, nil
	case len(p.config.Subjects) == 0:
		return nil, false, fmt.Errorf(`%s: there are no subjects in it, and none is named: name one, or give a command after "--"`, p.config.Path)
	}
	for _, s := range p.config.Subjects {
		t, err := configured(s, p.config)
		if err != nil {
			return nil, false, err
		}
		found = append(found, t)
	}
	return found, false, nil
}

// one is the target of a command that needs exactly one.
func (sys system) one(cmd *cobra.Command, args []string, skip int, files projectFlags, flags *processFlags) (target, error) {
	if cmd.ArgsLenAtDash() < 0 && len(args) != skip+1 {
		return target{}, fmt.Errorf(`%s needs one SUBJECT, by name, or a command after "--"`, cmd.Name())
	}
	p, err := sys.project(files)
	if err != nil {
		return target{}, err
	}
	found, _, err := sys.targets(cmd, args, skip, flags, p)
	if err != nil {
		return target{}, err
	}
	return found[0], nil
}

// find returns the subjects with the names, each once. Those of the project come
// first.
func (sys system) find(names []string, p project) ([]target, error) {
	var found []target
	seen := map[string]bool{}
	for _, name := range names {
		t, err := sys.target(name, p)
		if err != nil {
			return nil, err
		}
		if !seen[name] {
			seen[name] = true
			found = append(found, t)
		}
	}
	return found, nil
}

func (sys system) target(name string, p project) (target, error) {
	for _, s := range p.config.Subjects {
		if s.Name == name {
			return configured(s, p.config)
		}
	}
	s, ok := sys.subject(name)
	if !ok {
		return target{}, unknown("subject", name, sys.names(p))
	}
	return linked(s), nil
}

// names are those of all subjects that can be named.
func (sys system) names(p project) []string {
	var names []string
	for _, s := range p.config.Subjects {
		names = append(names, s.Name)
	}
	return append(names, sys.subjectNames()...)
}

// offered are the names to offer on TAB, where a file that cannot be read is none.
func (sys system) offered() []string {
	p, err := sys.project(projectFlags{})
	if err != nil {
		p = project{}
	}
	return sys.names(p)
}

func (sys system) subject(name string) (check.Subject, bool) {
	for _, s := range sys.subjects() {
		if s.Name == name {
			return s, true
		}
	}
	return check.Subject{}, false
}

func (sys system) subjectNames() []string {
	var names []string
	for _, s := range sys.subjects() {
		names = append(names, s.Name)
	}
	return names
}
