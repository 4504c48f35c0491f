package executor_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// named is an adapter of which only the id matters.
type named struct {
	executor.Adapter
	id, version string
}

func (n *named) ID() string { return n.id }

func versions(r *executor.Registry) []string {
	list := []string{}
	for _, a := range r.List() {
		list = append(list, a.ID()+a.(*named).version)
	}
	return list
}

func TestRegistry(t *testing.T) {
	add := func(r *executor.Registry, id, version string) { r.Register(&named{id: id, version: version}) }
	for _, c := range []struct {
		name string
		do   func(r *executor.Registry)
		want []string
	}{
		{"empty", func(*executor.Registry) {}, []string{}},
		{"keeps the order of arrival", func(r *executor.Registry) {
			add(r, "z", "1")
			add(r, "a", "1")
			add(r, "m", "1")
		}, []string{"z1", "a1", "m1"}},
		{"a replacement keeps the place", func(r *executor.Registry) {
			add(r, "z", "1")
			add(r, "a", "1")
			add(r, "z", "2")
		}, []string{"z2", "a1"}},
		{"unregister of an unknown id changes nothing", func(r *executor.Registry) {
			add(r, "z", "1")
			r.Unregister("a")
		}, []string{"z1"}},
		{"unregister of an empty registry", func(r *executor.Registry) { r.Unregister("a") }, []string{}},
		{"who comes again stands last", func(r *executor.Registry) {
			add(r, "z", "1")
			add(r, "a", "1")
			r.Unregister("z")
			add(r, "z", "2")
		}, []string{"a1", "z2"}},
		{"the id is read at register time", func(r *executor.Registry) {
			n := &named{id: "old"}
			r.Register(n)
			n.id = "new"
			add(r, "new", "2")
			if _, ok := r.Get("old"); !ok {
				panic("the adapter moved")
			}
		}, []string{"new", "new2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &executor.Registry{}
			c.do(r)
			if diff := cmp.Diff(c.want, versions(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRegistryGet(t *testing.T) {
	r := &executor.Registry{}
	a := &named{id: "a"}
	r.Register(a)
	if got, ok := r.Get("a"); got != executor.Adapter(a) || !ok || !r.Has("a") {
		t.Errorf("Get(a) = %v, %v; Has %v", got, ok, r.Has("a"))
	}
	if got, ok := r.Get("b"); got != nil || ok || r.Has("b") {
		t.Errorf("Get(b) = %v, %v; Has %v", got, ok, r.Has("b"))
	}
}

// What the registry hands out is the caller's.
func TestRegistryListsAreCopies(t *testing.T) {
	r := &executor.Registry{}
	r.Register(&named{id: "a"})
	r.Register(&named{id: "b"})
	r.IDs()[0] = "spoiled"
	r.List()[0] = nil
	if diff := cmp.Diff([]string{"a", "b"}, r.IDs()); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, versions(r)); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestRegistryRace(t *testing.T) {
	r := &executor.Registry{}
	var wg sync.WaitGroup
	for i := range 8 {
		id := fmt.Sprint("a", i%4)
		wg.Go(func() { r.Register(&named{id: id}) })
		wg.Go(func() { r.Unregister(id) })
		wg.Go(func() {
			if ids, list := r.IDs(), r.List(); len(ids) > 4 || len(list) > 4 {
				t.Errorf("ids %v, %d adapters", ids, len(list))
			}
			r.Has(id)
		})
	}
	wg.Wait()
	for _, id := range r.IDs() {
		if !r.Has(id) {
			t.Errorf("%s is in the order but has no adapter", id)
		}
	}
}
