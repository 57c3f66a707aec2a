package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/terminal"
)

// DeviceCode is what the user needs to log in on another device: RFC 8628, section 3.2. Its texts are safe to show.
type DeviceCode struct {
	Address  string // where to type the code
	Code     string
	Complete string // an address that holds the code; "": none
}

// deviceResponse is the answer to a request for a device code.
type deviceResponse struct {
	DeviceCode string  `json:"device_code"`
	UserCode   string  `json:"user_code"`
	URI        string  `json:"verification_uri"`
	Complete   string  `json:"verification_uri_complete"`
	ExpiresIn  float64 `json:"expires_in"` // seconds
	Interval   float64 `json:"interval"`   // seconds
}

// Limits of a login with a device code.
const (
	maxDeviceTime   = 30 * time.Minute
	deviceInterval  = 5 * time.Second
	maxDevicePeriod = time.Minute // between two requests
)

// LoginDevice logs in without a browser on this machine. show gets what the user needs. The login ends when the user has finished it, when
// the code expires, or with the context.
func (c *Client) LoginDevice(ctx context.Context, show func(DeviceCode)) (*Entry, error) {
	p, e, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	if p.meta.Device == "" {
		return nil, errors.New("the authorization server offers no login with a device code; log in with a browser")
	}
	if err := c.identify(ctx, p, e, "", grantDevice); err != nil {
		return nil, err
	}
	form := url.Values{"client_id": {e.ClientID}, "resource": {e.Resource}}
	if scopes := c.scopes(p); len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	var got deviceResponse
	if err := postForm(ctx, c.http(), p.meta.Device, form, e.authenticate(form), &got); err != nil {
		return nil, fmt.Errorf("the authorization server gives no device code: %w", err)
	}
	if !isToken(got.DeviceCode) || got.UserCode == "" || len(got.UserCode) > 100 {
		return nil, errors.New("the authorization server gives no usable device code")
	}
	for _, address := range []string{got.URI, got.Complete} {
		if u, err := url.Parse(address); address != got.Complete && err != nil || address != "" && u.Scheme != "https" && u.Scheme != "http" {
			return nil, errors.New("the authorization server gives an invalid address for the device code")
		}
	}
	life := maxDeviceTime
	if got.ExpiresIn > 0 && got.ExpiresIn < maxDeviceTime.Seconds() {
		life = time.Duration(got.ExpiresIn * float64(time.Second))
	}
	inside, stop := context.WithTimeoutCause(ctx, life, errDeviceExpired)
	defer stop()
	show(DeviceCode{terminal.Line(got.URI), terminal.Line(got.UserCode), terminal.Line(got.Complete)})
	if err := c.poll(inside, e, got.DeviceCode, got.interval()); err != nil {
		if errors.Is(context.Cause(inside), errDeviceExpired) {
			err = errDeviceExpired
		}
		return nil, err
	}
	return e, c.keep(ctx, e)
}

var errDeviceExpired = errors.New("the device code has expired; log in again")

func (r *deviceResponse) interval() time.Duration {
	if r.Interval <= 0 {
		return deviceInterval
	}
	return time.Duration(min(r.Interval, maxDevicePeriod.Seconds()) * float64(time.Second))
}

// poll asks for the tokens until the user has finished.
func (c *Client) poll(ctx context.Context, e *Entry, code string, interval time.Duration) error {
	for {
		if err := pause(ctx, interval); err != nil {
			return err
		}
		err := requestToken(ctx, c.http(), e, url.Values{"grant_type": {grantDevice}, "device_code": {code}}, c.now)
		status, ok := errors.AsType[*statusError](err)
		switch {
		case err == nil:
			return nil
		case ok && status.code == "authorization_pending":
		case ok && status.code == "slow_down":
			interval = min(interval+deviceInterval, maxDevicePeriod)
		case ok && status.code == "expired_token":
			return errDeviceExpired
		default:
			return fmt.Errorf("the authorization server gives no token: %w", err)
		}
	}
}
