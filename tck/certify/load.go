package certify

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/schema"
	"github.com/agenthost/agenthost/internal/unknownkeys"
)

// open makes an instance. It returns nil on failure.
func (c *certifier) open(ctx context.Context) *instance {
	i, f := c.machine.newInstance(ctx)
	c.absorb(f)
	c.checkf("module.instance", f.Fault == nil, "%s: %v", f.Export, f.Fault)
	return i
}

// describe asks an instance for the Description. It reports whether the plugin can be loaded.
func (c *certifier) describe(ctx context.Context) bool {
	i := c.open(ctx)
	if i == nil {
		return false
	}
	f := i.call(ctx, abi.ExportDescribe, nil, nil)
	i.close(ctx)
	c.absorb(f)
	ok := f.Fault == nil && f.Code == abi.ReturnResult && f.Wrote
	c.checkf("describe.returns", ok, "it returned %d (%v)", f.Code, f.Fault)
	if !ok {
		return false
	}
	c.checkEmbedded(f.Result)
	if err := decode(f.Result, &c.described); err != nil {
		c.checkf("describe.types", false, "it is not a Description: %v", err)
		return false
	}
	c.checkf("describe.types", true, "")
	unknown := unknownkeys.Find[abi.Description](f.Result)
	c.checkf("describe.keys", len(unknown) == 0, "%s", strings.Join(unknown, "; "))
	c.report.Name, c.report.Version = printable(c.described.Name), printable(c.described.Version)
	c.report.Coverage.Documents = include(c.report.Coverage.Documents, "Description")
	failed := len(c.report.Failed(false))
	c.checkDescription(&c.described)
	return len(c.report.Failed(false)) == failed
}

// descriptionSection is the custom section that may hold what describe writes.
const descriptionSection = "agenthost.description"

// checkEmbedded compares the Description that the module carries with the one that describe wrote.
func (c *certifier) checkEmbedded(described []byte) {
	canonical, _ := wire.Canonical(described, wire.Limits{MaxBytes: mostBytes}) // it is known to be well-formed
	found := 0
	for _, s := range c.machine.info.Sections {
		if s.ID != preflight.SectionCustom || s.Name != descriptionSection {
			continue
		}
		found++
		content := c.code[s.Start:s.End]
		_, n := binary.Uvarint(content) // the length of the name
		same := bytes.Equal(content[n+len(s.Name):], canonical)
		c.checkf("module.description", same, "the section is not what describe writes, in canonical form")
	}
	if found > 1 {
		c.checkf("module.description", false, "the section occurs %d times", found)
	}
}

// configured makes and configures an instance. It returns nil if the guest did not accept the configuration.
func (c *certifier) configured(ctx context.Context, config []byte) (*instance, *Frame) {
	i := c.open(ctx)
	if i == nil {
		return nil, nil
	}
	if _, _, ok := c.machine.exported(abi.ExportConfigure); !ok {
		return i, &Frame{Export: abi.ExportConfigure}
	}
	f := i.call(ctx, abi.ExportConfigure, config, nil)
	c.absorb(f)
	if f.Fault != nil || refusal(f) != nil {
		i.close(ctx)
		return nil, f
	}
	return i, f
}

// refusal returns the error with which configure refused, or nil if it did not refuse.
func refusal(f *Frame) *abi.Error {
	var r abi.Result
	if f.Fault == nil && f.Code == abi.ReturnResult && f.Wrote && decode(f.Result, &r) == nil {
		return r.Error
	}
	return nil
}

// complete fills in the defaults. The error says why a host never passes this configuration to the guest.
func complete(compiled *schema.Schema, values wire.Map) (wire.Raw, error) {
	if compiled == nil && len(values) > 0 {
		return nil, errors.New("the plugin has no config_schema, so it takes no configuration")
	}
	config := compiled.WithDefaults(values).Raw()
	if err := compiled.Validate(config); err != nil {
		return nil, fmt.Errorf("it does not fit config_schema: %w", err)
	}
	return config, nil
}

// refuse passes each configuration that the guest must refuse to two instances.
func (c *certifier) refuse(ctx context.Context, compiled *schema.Schema) {
	for _, values := range c.options.Refused {
		config, err := complete(compiled, values)
		if err != nil {
			c.checkf("configure.refuses", false, "the host refuses %s, and configure is never asked: %v", values.Raw().JSON(), err)
			continue
		}
		var said [2][]byte
		for n := range said {
			i, f := c.configured(ctx, config)
			i.close(ctx)
			if f == nil {
				return
			}
			c.checkf("configure.refuses", refusal(f) != nil, "configure did not refuse %s (%v)", config.JSON(), faultText(f.Fault))
			said[n] = f.Result
		}
		c.checkf("configure.refuses", bytes.Equal(said[0], said[1]), "two instances refuse %s in different words", config.JSON())
	}
}

// configure finds a configuration that the guest accepts: the operator's, completed with the defaults, or one that fits
// the schema. It reports whether there is one. Refusing a configuration breaks no rule.
func (c *certifier) configure(ctx context.Context) bool {
	compiled, err := schema.CompileUntrusted(c.described.ConfigSchema)
	if err != nil {
		c.checkf("describe.schemas", false, "config_schema: %v", err)
		return false
	}
	c.refuse(ctx, compiled)
	config, err := complete(compiled, c.options.Config)
	if err != nil {
		if len(c.options.Config) > 0 {
			c.report.Refused = printable(err.Error())
			return false
		}
		fitting, ok := conforming(c.rng, c.described.ConfigSchema, false)
		if !ok {
			c.checkf("configure.accepts", false, "the empty configuration does not fit config_schema, and the kit found none that does; give one with --config")
			return false
		}
		config = fitting
	}
	c.config = config
	i, f := c.configured(ctx, config)
	if f == nil {
		return false
	}
	i.close(ctx)
	if f.instance == nil { // the guest has no configure
		c.plugin = c.described
		return true
	}
	if e := refusal(f); e != nil {
		c.report.Refused = printable(config.JSON() + ": " + e.Error())
		return false
	}
	c.checkf("configure.accepts", i != nil, "configure did not take %s: %v", config.JSON(), faultText(f.Fault))
	return i != nil && c.takeNarrowed(f, &c.plugin)
}

func faultText(f *Fault) string {
	if f == nil {
		return ""
	}
	return f.String() + " "
}

// takeNarrowed checks and decodes the Description that configure wrote. It reports whether the Description can be used.
func (c *certifier) takeNarrowed(f *Frame, into *abi.Description) bool {
	if f.Code == abi.ReturnNothing {
		*into = c.described
		return true
	}
	failed := len(c.report.Failed(false))
	*into = abi.Description{}
	err := decode(f.Result, into)
	c.checkf("configure.description", err == nil, "it is not a Description: %v", err)
	if err == nil {
		c.checkNarrowed(into)
	}
	return len(c.report.Failed(false)) == failed
}

// configureAny configures instances with configurations that the schema allows.
func (c *certifier) configureAny(ctx context.Context) {
	if c.described.ConfigSchema.IsZero() {
		return
	}
	compiled, err := schema.CompileUntrusted(c.described.ConfigSchema)
	if err != nil {
		c.checkf("describe.schemas", false, "config_schema: %v", err)
		return
	}
	const mostPlayed = 5
	played := 0
	for range c.options.Configs {
		made, ok := conforming(c.rng, c.described.ConfigSchema, true)
		var config wire.Map
		if !ok || !made.IsMap() {
			return
		}
		if _, err := config.UnmarshalMsg(made); err != nil {
			return
		}
		completed := compiled.WithDefaults(config).Raw()
		if compiled.Validate(completed) != nil {
			continue
		}
		i, f := c.configured(ctx, completed)
		if f == nil {
			return
		}
		i.close(ctx)
		c.checkf("configure.any", f.Fault == nil, "with %s: %v", completed.JSON(), f.Fault)
		if f.Fault == nil && refusal(f) == nil && f.instance != nil {
			var narrowed abi.Description
			if c.takeNarrowed(f, &narrowed) && played < mostPlayed {
				played++
				c.playConfigured(ctx, completed, narrowed)
			}
		}
	}
}
