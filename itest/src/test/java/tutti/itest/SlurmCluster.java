package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Slurm cluster of this user: a controller and four nodes, n1 to n4, which are processes of this machine with two processors each. */
final class SlurmCluster implements AutoCloseable {
    private static final Path CONTROLLER = Path.of("/usr/sbin/slurmctld");
    private static final Path NODE = Path.of("/usr/sbin/slurmd");
    private static final int NODES = 4;

    private final Path folder;
    private final List<Process> processes = new ArrayList<>();

    private SlurmCluster(final Path folder) {
        this.folder = folder;
    }

    /** Starts a cluster whose files are in a folder. Skips the test where Slurm is not installed. */
    static SlurmCluster start(final Path folder) throws Exception {
        assumeTrue(Files.isExecutable(CONTROLLER) && Files.isExecutable(NODE),
            "no Slurm here, " + CONTROLLER + ": install it with: apt-get install slurmctld slurmd slurm-client");
        final SlurmCluster cluster = new SlurmCluster(folder);
        try {
            cluster.configure(freePorts(NODES + 2));
            cluster.launch(CONTROLLER.toString(), "-D", "-i");
            for (int n = 1; n <= NODES; n++) {
                Files.createDirectories(folder.resolve("spool").resolve("n" + n));
                cluster.launch(NODE.toString(), "-D", "-N", "n" + n);
            }
            await().atMost(Duration.ofSeconds(120)).pollInterval(Duration.ofMillis(200))
                .until(() -> cluster.run("sinfo", "--noheader", "-o", "%t %D").out().strip().equals("idle " + NODES));
            return cluster;
        } catch (final Throwable e) {
            cluster.close();
            throw e;
        }
    }

    private static List<Integer> freePorts(final int count) throws IOException {
        final List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (final ServerSocket s : sockets) {
                s.close();
            }
        }
    }

    private void configure(final List<Integer> ports) throws IOException {
        final String host = InetAddress.getLocalHost().getHostName();
        final String user = System.getProperty("user.name");
        Files.createDirectory(folder.resolve("state"));
        Files.writeString(folder.resolve("slurm.conf"), """
            ClusterName=tutti
            SlurmctldHost=%1$s(127.0.0.1)
            SlurmctldPort=%3$d
            SlurmdPort=%4$d
            AuthType=auth/none
            CredType=cred/none
            SlurmUser=%2$s
            SlurmdUser=%2$s
            StateSaveLocation=%6$s/state
            SlurmdSpoolDir=%6$s/spool/%%n
            SlurmctldPidFile=%6$s/slurmctld.pid
            SlurmdPidFile=%6$s/slurmd-%%n.pid
            SlurmctldLogFile=%6$s/slurmctld.log
            SlurmdLogFile=%6$s/slurmd-%%n.log
            ProctrackType=proctrack/linuxproc
            TaskPlugin=task/none
            SelectType=select/cons_tres
            SelectTypeParameters=CR_CPU
            SwitchType=switch/none
            JobAcctGatherType=jobacct_gather/none
            AccountingStorageType=accounting_storage/none
            SlurmdParameters=config_overrides
            ReturnToService=2
            NodeName=n[1-%7$d] NodeHostname=%1$s NodeAddr=127.0.0.1 Port=[%5$s] CPUs=2 RealMemory=1000
            PartitionName=all Nodes=n[1-%7$d] Default=YES MaxTime=INFINITE State=UP
            """.formatted(host, user, ports.get(0), ports.get(1),
            ports.subList(2, ports.size()).stream().map(String::valueOf).collect(Collectors.joining(",")), folder, NODES));
    }

    private ProcessBuilder builder(final String... line) {
        final ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile());
        builder.environment().put("SLURM_CONF", folder.resolve("slurm.conf").toString());
        return builder;
    }

    private void launch(final String... line) throws IOException {
        processes.add(builder(line).redirectErrorStream(true).redirectOutput(Redirect.appendTo(folder.resolve("daemons.log").toFile())).start());
    }

    /** Runs one of Slurm's commands. */
    TuttiScript.Result run(final String... line) throws Exception {
        return run(Map.of(), line);
    }

    private TuttiScript.Result run(final Map<String, String> environment, final String... line) throws Exception {
        final ProcessBuilder builder = builder(line);
        builder.environment().putAll(environment);
        return TuttiScript.finish(builder.start(), System.nanoTime());
    }

    /** Submits a script; returns the id of the job. Its output goes to the file {@link #output}. */
    String submit(final Map<String, String> environment, final String... lines) throws Exception {
        final Path script = Files.write(folder.resolve("job.sh"), List.of(lines));
        final TuttiScript.Result r = run(environment, "sbatch", "--parsable", "-o", folder.resolve("%j.out").toString(), script.toString());
        if (r.status() != 0) {
            throw new IOException("job is not accepted: " + r);
        }
        return r.out().strip();
    }

    /** Returns the output of a job so far. */
    String output(final String job) throws IOException {
        final Path file = folder.resolve(job + ".out");
        return Files.exists(file) ? Files.readString(file) : "";
    }

    /** Returns a field of a job that has ended or not, for example {@code JobState}. */
    String field(final String job, final String name) throws Exception {
        return run("scontrol", "--oneliner", "show", "job", job).out().replaceFirst("(?s).*\\b" + name + "=(\\S+).*", "$1");
    }

    /** Waits until a job has ended on all nodes. */
    void awaitEnd(final String job) {
        await().atMost(Duration.ofSeconds(150)).pollInterval(Duration.ofMillis(200))
            .until(() -> !List.of("PENDING", "RUNNING", "COMPLETING", "CONFIGURING").contains(field(job, "JobState")));
    }

    /** Returns the names of the nodes. */
    static List<String> nodes() {
        return IntStream.rangeClosed(1, NODES).mapToObj(n -> "n" + n).toList();
    }

    @Override
    public void close() {
        processes.reversed().forEach(Process::destroy);
        await().atMost(Duration.ofSeconds(60)).until(() -> processes.stream().noneMatch(Process::isAlive));
    }
}
