package property

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// show writes a frame as its word and the fields that are set.
func show(f fakes.Frame) string {
	var b strings.Builder
	b.WriteString(f.Word())
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		field := v.Field(i)
		if field.IsZero() {
			continue
		}
		if field.Kind() == reflect.Pointer {
			field = field.Elem()
		}
		name := strings.ToLower(v.Type().Field(i).Name)
		if field.Kind() == reflect.String {
			fmt.Fprintf(&b, " %s=%q", name, field.String())
		} else {
			fmt.Fprintf(&b, " %s=%v", name, field.Interface())
		}
	}
	return b.String()
}
