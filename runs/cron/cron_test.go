package cron_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/runs/cron"
)

func parse(t require.TestingT, expression, zone string) *cron.Schedule {
	s, err := cron.Parse(expression, zone)
	require.NoError(t, err, expression)
	return s
}

// at reads a time with an offset.
func at(t require.TestingT, text string) time.Time {
	out, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return out
}

func TestNext(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		expression, zone, after string
		want                    []string
	}{
		{"*/5 * * * *", "", "2026-11-26T12:00:00Z", []string{"2026-11-26T12:05:00Z", "2026-11-26T12:10:00Z"}},
		{"*/5 * * * *", "", "2026-11-26T12:04:59.999Z", []string{"2026-11-26T12:05:00Z"}},
		{"*/7 * * * *", "", "2026-11-26T12:56:00Z", []string{"2026-11-26T13:00:00Z", "2026-11-26T13:07:00Z"}},
		{"5/20 * * * *", "", "2026-11-26T12:00:00Z", []string{"2026-11-26T12:05:00Z", "2026-11-26T12:25:00Z", "2026-11-26T12:45:00Z", "2026-11-26T13:05:00Z"}},
		{"0 9-17/4,20 * * *", "", "2026-11-26T08:00:00Z", []string{"2026-11-26T09:00:00Z", "2026-11-26T13:00:00Z", "2026-11-26T17:00:00Z", "2026-11-26T20:00:00Z"}},
		{"0 0 1 1 *", "Europe/Oslo", "2026-11-26T12:00:00Z", []string{"2027-01-01T00:00:00+01:00", "2028-01-01T00:00:00+01:00"}},
		{"*/20 30 10 * * *", "", "2026-11-26T10:30:01Z", []string{"2026-11-26T10:30:20Z", "2026-11-26T10:30:40Z", "2026-11-27T10:30:00Z"}},
		{"59 59 23 31 12 *", "", "2026-12-31T23:59:59Z", []string{"2027-12-31T23:59:59Z"}},
		{"* * * * * *", "", "2026-12-31T23:59:59.5Z", []string{"2027-01-01T00:00:00Z", "2027-01-01T00:00:01Z"}},

		{"0 0 29 2 *", "", "2026-01-01T00:00:00Z", []string{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}},
		{"0 0 29 2 *", "", "2096-02-29T00:00:00Z", []string{"2104-02-29T00:00:00Z"}},
		{"0 0 31 * *", "", "2026-03-31T00:00:00Z", []string{"2026-05-31T00:00:00Z", "2026-07-31T00:00:00Z"}},
		{"0 0 L * *", "", "2027-12-31T00:00:00Z", []string{"2028-01-31T00:00:00Z", "2028-02-29T00:00:00Z", "2028-03-31T00:00:00Z"}},
		{"0 0 15,L * *", "", "2026-04-14T00:00:00Z", []string{"2026-04-15T00:00:00Z", "2026-04-30T00:00:00Z"}},
		{"0 0 * * 7", "", "2026-11-26T00:00:00Z", []string{"2026-11-29T00:00:00Z"}},
		{"0 0 * * 0", "", "2026-11-26T00:00:00Z", []string{"2026-11-29T00:00:00Z"}},
		{"0 0 * * 5-7", "", "2026-11-26T00:00:00Z", []string{"2026-11-27T00:00:00Z", "2026-11-28T00:00:00Z", "2026-11-29T00:00:00Z", "2026-12-04T00:00:00Z"}},
		{"0 0 ? JAN-mar Mon", "", "2026-11-26T00:00:00Z", []string{"2027-01-04T00:00:00Z"}},
		{"0 0 13 * 5", "", "2026-11-12T00:00:00Z", []string{"2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z", "2026-11-27T00:00:00Z", "2026-12-04T00:00:00Z", "2026-12-11T00:00:00Z", "2026-12-13T00:00:00Z"}},

		{"@hourly", "", "2026-11-26T00:00:01Z", []string{"2026-11-26T01:00:00Z"}},
		{"@daily", "Asia/Kolkata", "2026-11-26T00:00:01Z", []string{"2026-11-27T00:00:00+05:30"}},
		{"@midnight", "", "2026-11-26T00:00:01Z", []string{"2026-11-27T00:00:00Z"}},
		{" @Weekly ", "", "2026-11-26T00:00:01Z", []string{"2026-11-29T00:00:00Z"}},
		{"@monthly", "", "2026-11-26T00:00:01Z", []string{"2026-12-01T00:00:00Z"}},
		{"@yearly", "", "2026-11-26T00:00:01Z", []string{"2027-01-01T00:00:00Z"}},

		// The clocks of Berlin go from 02:00 to 03:00 on 29 March, and from 03:00 to 02:00 on 25 October.
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T03:00:00+01:00", []string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"}},
		{"*/20 2 * * *", "Europe/Berlin", "2026-03-28T03:00:00+01:00", []string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"}},
		{"0 3 * * *", "Europe/Berlin", "2026-03-28T12:00:00+01:00", []string{"2026-03-29T03:00:00+02:00", "2026-03-30T03:00:00+02:00"}},
		{"0 1 * * *", "Europe/Berlin", "2026-03-28T12:00:00+01:00", []string{"2026-03-29T01:00:00+01:00", "2026-03-30T01:00:00+02:00"}},
		{"*/30 * * * *", "Europe/Berlin", "2026-03-29T01:00:00+01:00", []string{"2026-03-29T01:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T03:30:00+02:00"}},
		{"45 * * * *", "Europe/Berlin", "2026-03-29T01:45:00+01:00", []string{"2026-03-29T03:45:00+02:00"}},
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+02:00", []string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"}},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T02:15:00+01:00", []string{"2026-10-26T02:30:00+01:00"}},
		{"* * 2 * * *", "Europe/Berlin", "2026-10-25T02:59:58+02:00", []string{"2026-10-25T02:59:59+02:00", "2026-10-26T02:00:00+01:00"}},
		{"*/30 * * * *", "Europe/Berlin", "2026-10-25T02:00:00+02:00", []string{
			"2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T02:30:00+01:00", "2026-10-25T03:00:00+01:00",
		}},
		{"0 3 * * *", "Europe/Berlin", "2026-10-25T01:00:00+02:00", []string{"2026-10-25T03:00:00+01:00"}},
		{"0 * 29 2 *", "Europe/Berlin", "2026-11-26T12:00:00+01:00", []string{"2028-02-29T00:00:00+01:00", "2028-02-29T01:00:00+01:00"}},
		// Clocks that skip midnight, half an hour, and a whole day.
		{"0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00-03:00", []string{"2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00"}},
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00+11:00", []string{"2026-04-05T01:45:00+11:00", "2026-04-06T01:45:00+10:30"}},
		{"*/15 * * * *", "Australia/Lord_Howe", "2026-04-05T01:45:00+11:00", []string{"2026-04-05T01:30:00+10:30", "2026-04-05T01:45:00+10:30", "2026-04-05T02:00:00+10:30"}},
		{"0 12 * * *", "Pacific/Apia", "2011-12-29T12:00:00-10:00", []string{"2011-12-31T00:00:00+14:00", "2011-12-31T12:00:00+14:00"}},
	} {
		t.Run(test.expression+" after "+test.after, func(t *testing.T) {
			t.Parallel()
			s, now := parse(t, test.expression, test.zone), at(t, test.after)
			for _, want := range test.want {
				next, ok := s.Next(now)
				require.True(t, ok)
				require.Equal(t, want, next.Format(time.RFC3339))
				now = next
			}
		})
	}
}

func TestNever(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{"0 0 30 2 *", "0 0 31 4,6,9,11 *", "* * 30,31 2 *", "* * * 31 2 *"} {
		next, ok := parse(t, expression, "Europe/Berlin").Next(at(t, "2026-11-26T12:00:00Z"))
		require.False(t, ok, expression)
		require.Zero(t, next)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"":                             "has 0 fields; five are needed",
		"nonsense":                     "has 1 fields",
		"* * * *":                      "has 4 fields",
		"0 0 0 1 1 * 2030":             "has 7 fields",
		"60 * * * *":                   `the minute cannot be "60"; it is from 0 to 59`,
		"* 24 * * *":                   `the hour cannot be "24"`,
		"* * 0 * *":                    `the day of the month cannot be "0"`,
		"* * 32 * *":                   `the day of the month cannot be "32"`,
		"* * * 13 *":                   `the month cannot be "13"`,
		"* * * * 8":                    `the day of the week cannot be "8"`,
		"0 0 1 1 2030":                 `the day of the week cannot be "2030"`,
		"60 * * * * *":                 `the second cannot be "60"`,
		"-1 * * * *":                   `the minute cannot be ""`,
		"+1 * * * *":                   `the minute cannot be "+1"`,
		"5-1 * * * *":                  "ends before it begins",
		"* * * * fri-mon":              "write two ranges",
		"*/0 * * * *":                  `the step of the minute cannot be "0"`,
		"*/-5 * * * *":                 `the step of the minute cannot be "-5"`,
		"*/99999999999999999999 * * *": "has 4 fields",
		"*/999999999999999999 * * * *": "the step of the minute",
		"*/ * * * *":                   `the step of the minute cannot be ""`,
		"1,, * * * *":                  `the minute cannot be ""`,
		"? * * * *":                    `the minute cannot be "?"`,
		"L * * * *":                    `the minute cannot be "L"`,
		"* * 3W * *":                   `the day of the month cannot be "3W"`,
		"* * FRI * *":                  `the day of the month cannot be "FRI"`,
		"* * * * MON#1":                `the day of the week cannot be "MON#1"`,
		"* * * january *":              `the month cannot be "january"`,
		"H * * * *":                    `the minute cannot be "H"`,
		"@every 5m":                    "has 2 fields",
		"@reboot":                      "the names are @hourly",
		"TZ=0":                         "has 1 fields",
		"TZ=Europe/Berlin 0 0 * * *":   `the step of the second cannot be "Berlin"`,
		strings.Repeat("1,", 200):      "at most 256",
		"٣ * * * *":                    `the minute cannot be`,
	} {
		_, err := cron.Parse(expression, "")
		require.ErrorIs(t, err, cron.ErrInvalid, expression)
		require.ErrorContains(t, err, want, expression)
	}
	for _, zone := range []string{"Local", "local", "Mars/Olympus", "../etc/passwd", "/etc/localtime", "Europe", strings.Repeat("x", 100), "Europe/Berlin\x00"} {
		_, err := cron.Parse("@daily", zone)
		require.ErrorIs(t, err, cron.ErrInvalid, zone)
		require.ErrorContains(t, err, "there is no time zone", zone)
	}
}

// fires looks at every minute, and returns the first after a time at which a schedule of these minutes and hours fires. It is simple, slow, and shares no code.
func fires(after time.Time, zone *time.Location, minutes, hours []int) time.Time {
	shown := func(t time.Time) string { return t.In(zone).Format("2006-01-02 15:04") }
	fits := func(t time.Time) bool {
		return slices.Contains(minutes, t.Minute()) && slices.Contains(hours, t.Hour())
	}
	for t := after.Truncate(time.Minute).Add(time.Minute); ; t = t.Add(time.Minute) {
		local := t.In(zone)
		if len(hours) == 24 {
			if fits(local) {
				return local
			}
			continue
		}
		repeated := false
		for back := time.Minute; back <= 3*time.Hour; back += time.Minute {
			repeated = repeated || shown(t.Add(-back)) == shown(t)
		}
		if fits(local) && !repeated {
			return local
		}
		// The readings that the clock skipped since the last minute.
		before, err := time.Parse("2006-01-02 15:04", shown(t.Add(-time.Minute)))
		if err != nil {
			panic(err)
		}
		for skipped := before.Add(time.Minute); skipped.Format("2006-01-02 15:04") < shown(t); skipped = skipped.Add(time.Minute) {
			if fits(skipped) {
				return local
			}
		}
	}
}

func TestNextAgreesWithASimpleClock(t *testing.T) {
	t.Parallel()
	changes := map[string][]string{
		"Europe/Berlin":       {"2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"},
		"America/New_York":    {"2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"},
		"Australia/Lord_Howe": {"2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z"},
		"America/Sao_Paulo":   {"2018-11-04T03:00:00Z", "2019-02-17T02:00:00Z"},
		"Asia/Kathmandu":      {"2026-01-01T00:00:00Z"},
		"Africa/Casablanca":   {"2026-02-15T02:00:00Z", "2026-03-22T02:00:00Z"},
	}
	names := []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu", "Africa/Casablanca"}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "zone")
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		after := at(t, rapid.SampledFrom(changes[name]).Draw(t, "change")).Add(time.Duration(rapid.IntRange(-180, 180).Draw(t, "minutes")) * time.Minute)
		minutes := rapid.SliceOfNDistinct(rapid.IntRange(0, 59), 1, 4, rapid.ID[int]).Draw(t, "minute")
		hours := rapid.SliceOfNDistinct(rapid.IntRange(0, 4), 1, 4, rapid.ID[int]).Draw(t, "hour")
		hourField := list(hours)
		if rapid.Bool().Draw(t, "every hour") {
			hourField, hours = "*", nil
			for h := range 24 {
				hours = append(hours, h)
			}
		}
		got, ok := parse(t, list(minutes)+" "+hourField+" * * *", name).Next(after)
		require.True(t, ok)
		require.Equal(t, fires(after, zone, minutes, hours).Format(time.RFC3339), got.Format(time.RFC3339))
	})
}

func list(numbers []int) string {
	var out []string
	for _, n := range numbers {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ",")
}

// FuzzParse holds for every expression: nothing panics, and the next times grow.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"*/5 * * * *", "@daily", "0 0 29 2 *", "1-5/2,7 L ? jan-mar * sun", "* * * * 7", "0 0 31 2 *", "TZ=0", "59/59 * * * * *"} {
		f.Add(text, "Europe/Berlin", int64(1_774_700_000))
		f.Add(text, "", int64(4_000_000_000))
	}
	f.Fuzz(func(t *testing.T, expression, zone string, now int64) {
		s, err := cron.Parse(expression, zone)
		if err != nil {
			require.ErrorIs(t, err, cron.ErrInvalid)
			return
		}
		after := time.Unix(now%(1<<36), 0)
		for range 5 {
			next, ok := s.Next(after)
			if !ok {
				return
			}
			require.True(t, next.After(after))
			after = next
		}
	})
}

func BenchmarkNever(b *testing.B) {
	s, now := parse(b, "0 0 30 2 *", "Europe/Berlin"), at(b, "2026-11-26T12:00:00Z")
	b.ReportAllocs()
	for b.Loop() {
		s.Next(now)
	}
}
