// Package sample has a document with everything that codegen knows. Its generated file is what the generator is tested by.
package sample

import sdk "github.com/agenthost/agenthost/sdk/go"

// Unit is a unit of temperature.
type Unit string

// The units.
const (
	Celsius    Unit = "celsius"
	Fahrenheit Unit = "fahrenheit"
)

// Level is a number with a name.
type Level int8

// Place is where something is.
//
//agenthost:document
type Place struct {
	City string  `json:"city" minLength:"1" default:"Oslo"` // its usual name
	Lat  float64 `json:"lat" minimum:"-90" maximum:"90"`
	Lon  float64
}

// Forecast is what the weather will be.
//
//agenthost:document
type Forecast struct {
	// where, which may
	// take two lines
	Where    Place             `json:"where"`
	Others   []Place           `json:"others,omitempty" maxItems:"3"`
	Named    map[string]Place  `json:"named,omitempty"`
	Unit     Unit              `json:"unit" default:"celsius"`
	Days     int               `json:"days" default:"3" minimum:"1" maximum:"10"`
	Level    Level             `json:"level,omitempty"`
	Count    uint16            `json:"count,omitempty"`
	Share    float32           `json:"share,omitempty"`
	Detailed bool              `json:"detailed" default:"true"`
	Kind     string            `json:"kind,omitempty" enum:"rain, snow" jsonschema:"what falls"`
	Kinds    []string          `json:"kinds" default:"rain,snow" enum:"rain,snow,sun"`
	Limit    *int              `json:"limit" maximum:"2147483647"`
	Note     *string           `json:"note" pattern:"^[a-z]*$"`
	Grid     [][]int64         `json:"grid,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Inner    *Place            `json:"inner"`
	Data     []byte            `json:"data,omitempty"`
	Extra    sdk.Raw           `json:"extra,omitempty"`
	Settings sdk.Map           `json:"settings,omitempty"`
	HTTPPort uint32
	Ignored  string `json:"-"`
	hidden   int
}

// Hidden is not in the document.
func (f *Forecast) Hidden() int { return f.hidden }

// Empty has nothing.
//
//agenthost:document
type Empty struct{}

//go:generate go run github.com/agenthost/agenthost/sdk/go/gen
