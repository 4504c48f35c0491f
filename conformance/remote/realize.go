package remote

import (
	"encoding/base64"
	"math"
	"math/big"
	"time"

	"github.com/creachadair/jrpc2"
)

// thrower is a value whose methods panic: the nearest that Go has to an accessor
// that throws.
type thrower struct{}

func (thrower) MarshalJSON() ([]byte, error) { panic("hostile value") }
func (thrower) MarshalText() ([]byte, error) { panic("hostile value") }
func (thrower) String() string               { panic("hostile value") }
func (thrower) Error() string                { panic("hostile value") }

// deepLevels is how deep a "deep" value is.
const deepLevels = 20_000

var errUnsupportedValue = &jrpc2.Error{Code: rpcNoValue, Message: "unsupported value"}

// realize makes the values that tokens stand for.
func realize(v any) (any, error) {
	switch x := v.(type) {
	case []any:
		for i := range x {
			made, err := realize(x[i])
			if err != nil {
				return nil, err
			}
			x[i] = made
		}
	case map[string]any:
		if name, ok := x[tokenKey].(string); ok {
			return realToken(name, x["value"])
		}
		for k := range x {
			made, err := realize(x[k])
			if err != nil {
				return nil, err
			}
			x[k] = made
		}
	}
	return v, nil
}

func realToken(name string, holds any) (any, error) {
	text, _ := holds.(string)
	switch name {
	case "throws":
		return thrower{}, nil
	case "function":
		return func() any { return holds }, nil
	case "symbol", "promise":
		return make(chan any), nil
	case "cycle":
		loop := map[string]any{}
		loop["self"] = loop
		return loop, nil
	case "date":
		ms, _ := holds.(float64)
		return time.UnixMilli(int64(ms)), nil
	case "map", "set":
		m := map[any]any{}
		entries, _ := holds.([]any)
		for _, e := range entries {
			if pair, ok := e.([]any); ok && len(pair) == 2 && name == "map" {
				if key, ok := pair[0].(string); ok {
					m[key] = pair[1]
				}
			} else if key, ok := e.(string); ok {
				m[key] = true
			}
		}
		return m, nil
	case "buffer":
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, badParams("buffer: want base64")
		}
		return b, nil
	case "bigint":
		if n, ok := new(big.Int).SetString(text, 10); ok {
			return n, nil
		}
	case "nan":
		return math.NaN(), nil
	case "infinity":
		return math.Inf(1), nil
	case "-infinity":
		return math.Inf(-1), nil
	case "deep":
		deep := holds
		for range deepLevels {
			deep = []any{deep}
		}
		return deep, nil
	}
	return nil, errUnsupportedValue
}
