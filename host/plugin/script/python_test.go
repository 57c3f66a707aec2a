package script_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/script"
)

// upperOf is a plugin that imports its work from a module.
func upperOf(module string) string {
	return "from agenthost import wrap_model_call\nfrom " + module + " import upper\n\n@wrap_model_call\ndef hook(request, handler):\n" +
		"    return upper(handler(request).message.content)\n"
}

func TestPythonScripts(t *testing.T) {
	t.Parallel()
	const work = "def upper(s):\n    if not s:\n        raise ValueError('empty')\n    return s.upper()\n"
	for name, test := range map[string]struct {
		files map[string]string
		path  string
	}{
		"a file":            {map[string]string{"upper.py": "from agenthost import wrap_model_call\n@wrap_model_call\ndef f(r, h): return 'HELLO'\n"}, "upper.py"},
		"a package":         {map[string]string{"p/__init__.py": upperOf(".work"), "p/work.py": work}, "p"},
		"a deep package":    {map[string]string{"p/__init__.py": upperOf("p.a.work"), "p/a/__init__.py": "", "p/a/work.py": work}, "p"},
		"a vendored module": {map[string]string{"upper.py": upperOf("work"), "vendor/work.py": work}, "upper.py"},
		"a vendored package": {map[string]string{
			"p/__init__.py": upperOf("worker"), "p/vendor/worker/__init__.py": "from .work import upper", "p/vendor/worker/work.py": work,
		}, "p"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, err := run(t, filepath.Join(write(t, test.files), test.path))
			require.NoError(t, err)
			require.Equal(t, "HELLO", said)
		})
	}
}

func TestPythonErrorsNameTheSource(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"when it runs": {
			map[string]string{"x.py": upperOf("work"), "vendor/work.py": "\ndef upper(s):\n    return s.none\n"},
			"vendor/work.py:3: AttributeError: 'str' object has no attribute 'none' (called from x.py:6)",
		},
		"when it loads":      {map[string]string{"x.py": upperOf("work"), "vendor/work.py": "\nNone.x\n"}, "vendor/work.py:2: AttributeError"},
		"syntax":             {map[string]string{"x.py": "\ndef f(:\n    pass\n"}, "x.py:2: SyntaxError"},
		"syntax of a module": {map[string]string{"x.py": upperOf("work"), "vendor/work.py": "\n\n1 = 2\n"}, "vendor/work.py:3: SyntaxError"},
		"a missing module":   {map[string]string{"x.py": "import requests\n"}, "x.py:1: ModuleNotFoundError: there is no module 'requests' in a plugin"},
		"a missing name":     {map[string]string{"x.py": "from agenthost import before_models\n"}, "x.py:1: ImportError: cannot import name 'before_models'"},
		"native code":        {map[string]string{"x.py": "import a\n", "vendor/a/speed.so": ""}, "vendor/a/speed.so is native code"},
		"latin 1":            {map[string]string{"x.py": "# caf\xe9\n"}, "x.py:1: the file is not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := run(t, filepath.Join(write(t, test.files), "x.py"))
			require.ErrorContains(t, err, test.want)
		})
	}
	_, err := script.Loader{}.Load(filepath.Join(t.TempDir(), "x.py"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// The digest of a plugin does not depend on where its files are, nor on files that are not modules.
func TestEqualPythonSourcesGiveEqualModules(t *testing.T) {
	t.Parallel()
	files := map[string]string{"p/__init__.py": upperOf(".work"), "p/work.py": "def upper(s): return s\n", "p/vendor/a.py": "", "p/vendor/b/__init__.py": ""}
	first, err := script.Loader{}.Load(filepath.Join(write(t, files), "p"))
	require.NoError(t, err)
	files["p/README.md"], files["p/__pycache__/x.py"] = "x", "x"
	second, err := script.Loader{}.Load(filepath.Join(write(t, files), "p"))
	require.NoError(t, err)
	require.Equal(t, first, second)
}

// A package that is watched is loaded again when one of its modules changes or appears.
func TestWatchedPythonScripts(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"p/__init__.py": upperOf(".work"), "p/work.py": "def upper(s): return s + ' one'\n"})
	says := watched(t, filepath.Join(dir, "p"))
	change := func(name, text string) { replace(t, filepath.Join(dir, "p", name), text) }
	says("hello one")
	change("work.py", "def upper(s): return s + ' two'\n")
	says("hello two")
	change("work.py", "def upper(\n")
	says("hello two")
	change("work.py", "from .more import upper\n")
	says("hello two")
	change("more.py", "def upper(s): return s + ' three'\n")
	says("hello three")
	change("more.py", "from rules import upper\n")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "p", "vendor"), 0o700))
	change("vendor/rules.py", "def upper(s): return s + ' four'\n")
	says("hello four")
}
