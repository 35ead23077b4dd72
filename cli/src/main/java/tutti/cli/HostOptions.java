package tutti.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tutti.cli.hosts.HostList;
import tutti.cli.hosts.HostSlots;
import tutti.cli.hosts.LaunchCommand;
import tutti.cli.hosts.SlurmAllocation;
import tutti.cli.hosts.SshLauncher;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.PortRange;

/** Options that name the hosts on which a command starts containers. Without them, those of the Slurm allocation in which the command runs count. */
final class HostOptions {
    /** Environment variable with options of the JVMs of daemons. */
    static final String JVM_OPTIONS = "TUTTI_DAEMON_OPTS";

    /** Variables that containers on hosts get from this process, besides those of UCX. */
    private static final Set<String> PASSED_ON = Set.of(JVM_OPTIONS, "TUTTI_JAVA_HOME", "TUTTI_LOG");

    @Option(names = {"--hosts", "--host", "-H"}, paramLabel = "HOST[:SLOTS],...",
        description = {"start a container on each of these hosts by ssh, for this command; SLOTS is how many ranks a host takes, by default 1;",
            "SLOTS of * means one per core"})
    private @Nullable String hosts;

    @Option(names = {"--hostfile", "-hostfile", "--machinefile"}, paramLabel = "FILE",
        description = "the same with the hosts of a file, with a line HOST [slots=N] for each; by default a slot per core")
    private @Nullable Path hostFile;

    @Option(names = "--ssh", paramLabel = "COMMAND", defaultValue = "ssh",
        description = "the ssh command with its options, for example \"ssh -p 2222\"; by default ${DEFAULT-VALUE}")
    private String ssh;

    @Option(names = "--prefix", paramLabel = "DIR", description = "folder of the distribution on the hosts; by default that of this command")
    private @Nullable Path prefix;

    @Option(names = "--ports", paramLabel = "PORT[-PORT]",
        description = "ports of which each container on a host listens on a free one; by default any")
    private @Nullable String ports;

    /**
     * Hosts on which containers are started.
     *
     * @param commands command lines that start them
     * @param slots    number of slots of all hosts; 0 if unknown, since a host has one per core
     */
    record HostLaunch(List<LaunchCommand> commands, int slots) {}

    /** Returns the options that were given, as text for errors; empty without any. */
    String given() {
        return hosts != null ? "--hosts" : hostFile != null ? "--hostfile" : "";
    }

    /**
     * Returns how to start containers on the hosts; empty where neither an option nor Slurm names any.
     *
     * @param jvm    options of the JVMs of containers that are started by ssh
     * @param folder working folder of the containers, which every host must have; null for the current one, or the home folder where there is none
     */
    Optional<HostLaunch> launch(final @Nullable Path folder, final List<String> jvm) {
        try {
            if (hosts != null && hostFile != null) {
                throw new IllegalArgumentException("--hosts and --hostfile exclude each other");
            }
            final String range = ports == null ? null : PortRange.parse(ports).toString();
            final List<HostSlots> list;
            if (hosts != null) {
                list = HostList.parse(hosts);
            } else if (hostFile != null) {
                list = read(hostFile);
            } else {
                final Optional<SlurmAllocation> allocation = SlurmAllocation.of(System.getenv(), HostOptions::expand);
                if (allocation.isEmpty() && range != null) {
                    throw new IllegalArgumentException("--ports needs hosts: --hosts, --hostfile or a Slurm allocation");
                }
                return allocation.map(a -> new HostLaunch(List.of(a.command(home(), folder, range)),
                    a.slots().stream().mapToInt(Integer::intValue).sum()));
            }
            final SshLauncher launcher = new SshLauncher(List.of(ssh.strip().split("\\s+")), home(),
                folder == null ? Path.of("").toAbsolutePath() : folder, folder != null, range, environment(jvm));
            return Optional.of(new HostLaunch(launcher.commands(list),
                list.stream().anyMatch(h -> h.slots() == 0) ? 0 : list.stream().mapToInt(HostSlots::slots).sum()));
        } catch (final IllegalArgumentException e) {
            throw new CommandFailure(ExitStatus.USAGE, e.getMessage(), e);
        }
    }

    private static List<HostSlots> read(final Path file) {
        try {
            return HostList.read(file);
        } catch (final NoSuchFileException e) {
            throw new CommandFailure(ExitStatus.USAGE, CommandFailure.notFound("host file", file), e);
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, "host file cannot be read: " + file + ": " + e, e);
        }
    }

    private Path home() {
        return prefix != null ? prefix
            : Objects.requireNonNull(Installation.bundles().toAbsolutePath().normalize().getParent(), "folder of the bundles");
    }

    /** Returns the settings of daemons that hosts get from this process, with options of their JVMs. */
    private static Map<String, String> environment(final List<String> jvm) {
        final Map<String, String> variables = new LinkedHashMap<>();
        System.getenv().forEach((name, value) -> {
            if (PASSED_ON.contains(name) || name.startsWith("UCX_")) {
                variables.put(name, value);
            }
        });
        if (!jvm.isEmpty()) {
            variables.merge(JVM_OPTIONS, String.join(" ", jvm), (own, more) -> own + " " + more);
        }
        return variables;
    }

    private static List<String> expand(final String list) {
        try {
            final Process process = new ProcessBuilder("scontrol", "show", "hostnames", list).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            final List<String> names = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
            if (process.waitFor() != 0) {
                throw new IOException("it failed");
            }
            return names;
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "nodes of the Slurm allocation cannot be listed by scontrol show hostnames " + list + ": "
                + e.getMessage(), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitStatus.FAILED, "interrupted", e);
        }
    }
}
