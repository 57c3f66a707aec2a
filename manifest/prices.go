package manifest

import (
	"path/filepath"
	"reflect"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// pricesEntry is what models cost: a mapping, or the path of a file with such a mapping.
type pricesEntry struct {
	file   strictyaml.Node // the path; the zero Node: there is none
	path   string
	listed *priceList
}

// priceList lists prices.
type priceList struct {
	Currency string `yaml:"currency" schema:"default=USD"` // the currency of all prices; default USD
	// the prices of models by PROVIDER:NAME, or by NAME for any provider
	Models strictyaml.OrderedMap[priceEntry] `yaml:"models" strict:"required"`
}

// priceEntry is what a million tokens of a model cost.
type priceEntry struct {
	Input      money  `yaml:"input" strict:"required"`  // input tokens
	Output     money  `yaml:"output" strict:"required"` // output tokens
	CacheRead  *money `yaml:"cache_read"`               // input tokens from the provider's cache; default: as input
	CacheWrite *money `yaml:"cache_write"`              // input tokens that are written to the provider's cache; default: as input
}

// money is an amount of money.
type money model.Amount

// UnmarshalStrict decodes a number or a text such as "1.25".
func (m *money) UnmarshalStrict(n strictyaml.Node) error {
	var text scalarText
	if err := n.Decode(&text); err != nil {
		return err
	}
	amount, err := model.ParseAmount(string(text))
	if err != nil {
		return n.Errorf("%w", err)
	}
	*m = money(amount)
	return nil
}

// JSONSchema returns the schema of an amount.
func (money) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "number", "minimum": 0},
		map[string]any{"type": "string", "pattern": `^[0-9]+(\.[0-9]{1,9})?$`},
	}}
}

// UnmarshalStrict decodes both forms.
func (e *pricesEntry) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() == strictyaml.KindString {
		e.file = n
		return n.Decode(&e.path)
	}
	e.listed = &priceList{Currency: "USD"}
	return n.Decode(e.listed)
}

// JSONSchema returns the schema of both forms.
func (pricesEntry) JSONSchema() map[string]any {
	return oneOf(text("The path of a YAML file with the prices, relative to the manifest"), reflect.TypeFor[priceList]())
}

// build returns the prices; nil if there are none.
func (e *pricesEntry) build(m *Manifest) (*model.Prices, error) {
	listed := e.listed
	if e.path != "" {
		path := m.path(e.path)
		data, err := m.readFile(path, "prices of models")
		if err != nil {
			return nil, located(e.file, err)
		}
		listed = &priceList{Currency: "USD"}
		if err := strictyaml.Decode(filepath.Clean(path), data, listed, strictyaml.WithMaxBytes(MaxSize)); err != nil {
			return nil, err
		}
	}
	if listed == nil {
		return nil, nil //nolint:nilnil // there are none
	}
	out := &model.Prices{Currency: listed.Currency, Models: map[string]model.Price{}}
	for i := range listed.Models {
		p := &listed.Models[i].Value
		out.Models[listed.Models[i].Key] = model.Price{
			Input: model.Amount(p.Input), Output: model.Amount(p.Output), CacheRead: (*model.Amount)(p.CacheRead), CacheWrite: (*model.Amount)(p.CacheWrite),
		}
	}
	return out, nil
}
