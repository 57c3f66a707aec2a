package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/server/config"
)

// examples has the manifests for Kubernetes.
const examples = "../../../examples/fleet/kubernetes"

// secrets are what docs/fleet.md lets operators create, with their keys.
var secrets = map[string][]string{
	"agenthost": {"DATABASE_URL", "OPENAI_API_KEY", "SUPPORT_KEY"}, "temporal-client": {"tls.crt", "tls.key", "ca.crt"},
}

// cluster is what manifests describe.
type cluster struct {
	deployments []*apps.Deployment
	services    []*core.Service
	budgets     []*policy.PodDisruptionBudget
	scalers     []*autoscaling.HorizontalPodAutoscaler
	networks    []*networking.NetworkPolicy
	configs     map[string]*core.ConfigMap
}

// strict decodes documents as Kubernetes does that refuses unknown and duplicate fields.
var strict = func() *json.Serializer {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		apps.AddToScheme, autoscaling.AddToScheme, core.AddToScheme, networking.AddToScheme, policy.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
}()

// read adds the documents of a file.
func (c *cluster) read(text []byte) error {
	for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		object, _, err := strict.Decode(document, nil, nil)
		if err != nil {
			return err
		}
		switch o := object.(type) {
		case *apps.Deployment:
			c.deployments = append(c.deployments, o)
		case *core.Service:
			c.services = append(c.services, o)
		case *policy.PodDisruptionBudget:
			c.budgets = append(c.budgets, o)
		case *autoscaling.HorizontalPodAutoscaler:
			c.scalers = append(c.scalers, o)
		case *networking.NetworkPolicy:
			c.networks = append(c.networks, o)
		case *core.ConfigMap:
			c.configs[o.Name] = o
		default:
			return fmt.Errorf("the test does not know what a %T is for", object)
		}
	}
}

func kubernetes(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{configs: map[string]*core.ConfigMap{}}
	paths, err := filepath.Glob(filepath.Join(examples, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, c.read(text), path)
	}
	return c
}

func TestKubernetesRefusesMistakes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(examples, "worker.yaml"))
	require.NoError(t, err)
	for from, to := range map[string]string{
		"terminationGracePeriodSeconds:": "terminationGraceSeconds:", "averageValue:": "averagevalue:", "maxUnavailable: 1": "maxUnavailable: [1]",
		"readinessProbe:": "livenessProbe:", "apiVersion: autoscaling/v2": "apiVersion: autoscaling/v3",
	} {
		require.Error(t, (&cluster{}).read([]byte(strings.Replace(string(text), from, to, 1))), to)
	}
}

// serveYAML reads the serve.yaml of a ConfigMap, with variables of a Secret.
func (c *cluster) serveYAML(t *testing.T, name string) *config.Config {
	t.Helper()
	require.Contains(t, c.configs, name)
	serve, err := config.Parse("serve.yaml", []byte(c.configs[name].Data["serve.yaml"]), config.Options{LookupEnv: secret})
	require.NoError(t, err)
	return serve
}

func secret(name string) (string, bool) {
	if !slices.Contains(secrets["agenthost"], name) {
		return "", false
	}
	return "postgres://db/agents", true
}

func TestTheManifestsForKubernetes(t *testing.T) {
	t.Parallel()
	c := kubernetes(t)
	require.Len(t, c.deployments, 2)
	for _, d := range c.deployments {
		c.deployment(t, d)
	}
	for _, s := range c.services {
		d := c.selected(t, s.Spec.Selector)
		for _, port := range s.Spec.Ports {
			require.Contains(t, ports(&d.Spec.Template.Spec.Containers[0]), port.TargetPort.StrVal)
		}
	}
	for _, b := range c.budgets {
		c.selected(t, b.Spec.Selector.MatchLabels)
	}
	for _, n := range c.networks {
		d := c.selected(t, n.Spec.PodSelector.MatchLabels)
		for _, rule := range n.Spec.Ingress {
			for _, port := range rule.Ports {
				require.Contains(t, ports(&d.Spec.Template.Spec.Containers[0]), port.Port.StrVal)
			}
		}
	}
	require.Len(t, c.scalers, 1)
	h := c.scalers[0]
	require.Equal(t, "agenthost-worker-1", h.Spec.ScaleTargetRef.Name)
	metric := h.Spec.Metrics[0]
	require.Equal(t, autoscaling.ExternalMetricSourceType, metric.Type)
	require.Contains(t, c.configs["adapter-config"].Data["config.yaml"], "{as: "+metric.External.Metric.Name+"}")
	serve := c.serveYAML(t, "agents-1")
	require.Less(t, metric.External.Target.AverageValue.Value(), int64(serve.Engine.Runs), "a worker has room when another one starts")
}

// deployment checks that a Deployment fits what it refers to.
func (c *cluster) deployment(t *testing.T, d *apps.Deployment) {
	t.Helper()
	selector, err := meta.LabelSelectorAsSelector(d.Spec.Selector)
	require.NoError(t, err)
	pod := &d.Spec.Template
	require.True(t, selector.Matches(labels.Set(pod.Labels)), d.Name)
	require.Len(t, pod.Spec.Containers, 1)
	container := &pod.Spec.Containers[0]
	for _, probe := range []*core.Probe{container.StartupProbe, container.ReadinessProbe, container.LivenessProbe} {
		require.NotNil(t, probe, d.Name)
		require.Contains(t, []string{"/healthz", "/readyz"}, probe.HTTPGet.Path)
		require.Contains(t, ports(container), probe.HTTPGet.Port.StrVal)
	}
	require.Equal(t, "/healthz", container.LivenessProbe.HTTPGet.Path, "a process without its database must not be killed")
	require.True(t, *pod.Spec.SecurityContext.RunAsNonRoot)
	require.True(t, *container.SecurityContext.ReadOnlyRootFilesystem)
	require.False(t, *container.SecurityContext.AllowPrivilegeEscalation)
	require.Equal(t, []core.Capability{"ALL"}, container.SecurityContext.Capabilities.Drop)
	require.Contains(t, secrets, container.EnvFrom[0].SecretRef.Name)

	mounts := map[string]string{}
	for i := range container.VolumeMounts {
		mounts[container.VolumeMounts[i].Name] = container.VolumeMounts[i].MountPath
	}
	files := map[string]bool{}
	var serve *config.Config
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		require.Contains(t, mounts, v.Name)
		switch {
		case v.ConfigMap != nil:
			serve = c.serveYAML(t, v.ConfigMap.Name)
			for name := range c.configs[v.ConfigMap.Name].Data {
				files[mounts[v.Name]+"/"+name] = true
			}
		case v.Secret != nil:
			for _, name := range secrets[v.Secret.SecretName] {
				files[mounts[v.Name]+"/"+name] = true
			}
		}
		delete(mounts, v.Name)
	}
	require.Empty(t, mounts, "each mount has a volume")
	tls := serve.Engine.Temporal.TLS
	for _, path := range []string{tls.CAFile, tls.CertFile, tls.KeyFile, container.Args[2], container.Args[4]} {
		require.True(t, files[path], path)
	}
	for name, port := range map[string]config.Listen{"http": serve.Listen, "metrics": serve.Metrics.Listen} {
		if at, opens := ports(container)[name]; opens {
			require.True(t, strings.HasSuffix(string(port), fmt.Sprint(":", at)), name)
		}
	}
	command, rest, err := root().Find(container.Args)
	require.NoError(t, err)
	require.NoError(t, command.ParseFlags(rest))
	require.NoError(t, noArguments(command, command.Flags().Args()))
	if command.Name() == "worker" {
		grace := time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
		require.GreaterOrEqual(t, grace, serve.Drain+10*time.Second, "a worker may drain before it is killed")
	}
}

func ports(c *core.Container) map[string]int32 {
	named := map[string]int32{}
	for i := range c.Ports {
		named[c.Ports[i].Name] = c.Ports[i].ContainerPort
	}
	return named
}

// selected returns the Deployment whose pods have labels.
func (c *cluster) selected(t *testing.T, wanted map[string]string) *apps.Deployment {
	t.Helper()
	for _, d := range c.deployments {
		if labels.SelectorFromSet(wanted).Matches(labels.Set(d.Spec.Template.Labels)) {
			return d
		}
	}
	require.Fail(t, "nothing is selected", "%v", wanted)
	return nil
}

func TestTheAgentForKubernetes(t *testing.T) {
	t.Parallel()
	text := kubernetes(t).configs["agents-1"].Data["agent.yaml"]
	m, err := manifest.Load(write(t, filepath.Join(t.TempDir(), "agent.yaml"), text), manifest.Options{LookupEnv: secret, MemoryStore: true})
	require.NoError(t, err)
	built, err := m.Build(context.Background(), slog.New(slog.DiscardHandler), func(*host.Config) {})
	require.NoError(t, err)
	require.NoError(t, built.Close())
	require.Equal(t, "helper", m.Name)
}

// A new version is a copy of worker.yaml, with another number at the marked lines.
func TestANewVersionForKubernetes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(examples, "worker.yaml"))
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	one := regexp.MustCompile(`(-|")1\b`)
	for i, line := range lines {
		if strings.HasSuffix(line, "# version") {
			require.Regexp(t, one, line)
			lines[i] = one.ReplaceAllString(line, "${1}2")
		}
	}
	old, next := kubernetes(t), &cluster{configs: map[string]*core.ConfigMap{}}
	require.NoError(t, next.read([]byte(strings.Join(lines, "\n"))))
	d := next.deployments[0]
	require.Equal(t, "agenthost-worker-2", d.Name)
	require.Equal(t, d.Name, next.scalers[0].Spec.ScaleTargetRef.Name)
	require.Equal(t, "agents-2", d.Spec.Template.Spec.Volumes[0].ConfigMap.Name)
	for _, before := range old.deployments {
		for _, both := range [][2]*apps.Deployment{{before, d}, {d, before}} {
			require.False(t, labels.SelectorFromSet(both[0].Spec.Selector.MatchLabels).Matches(labels.Set(both[1].Spec.Template.Labels)),
				"each selects pods of its own")
		}
	}
	require.Equal(t, d.Spec.Selector.MatchLabels, next.budgets[0].Spec.Selector.MatchLabels)
	require.Equal(t, intstr.FromInt32(1), *next.budgets[0].Spec.MaxUnavailable)
	require.Subset(t, slices.Collect(maps.Values(d.Labels)), []string{"2"})
}
