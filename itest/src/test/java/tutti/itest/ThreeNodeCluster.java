package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A cluster of three daemons, {@code a}, {@code b} and {@code c}, each with a folder of its own, and commands that use it. */
final class ThreeNodeCluster implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static ThreeNodeCluster shared;

    final Path dir;
    /** Folder with the classes {@code Holds} and {@code Sums}. */
    final Path programs;
    final TuttiScript.Daemon a;
    final TuttiScript.Daemon b;
    final TuttiScript.Daemon c;

    ThreeNodeCluster(final Path dir) throws Exception {
        this.dir = dir;
        programs = Files.createDirectory(dir.resolve("programs"));
        // calls collectives before and after it waits for a line of standard input
        TuttiScript.writeProgram(programs, "Holds", """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            if (rank == 0) { System.out.println("up"); System.in.read(); }
            int[] more = {rank == 0 ? sum[0] : 0};
            MPI.COMM_WORLD.bcast(more, 1, MPI.INT, 0);
            MPI.COMM_WORLD.barrier();
            if (more[0] != size * (size + 1) / 2 || sum[0] != more[0]) { System.exit(9); }""");
        TuttiScript.compile(programs, "Holds");
        TuttiScript.writeProgram(programs, "Sums", """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            MPI.COMM_WORLD.bcast(sum, 1, MPI.INT, 0);
            MPI.COMM_WORLD.barrier();
            if (sum[0] != size * (size + 1) / 2) { System.exit(9); }""");
        TuttiScript.compile(programs, "Sums");
        a = new TuttiScript.Daemon(dir, "--name", "a", "--dir", folder("a"));
        b = new TuttiScript.Daemon(dir, "--name", "b", "--dir", folder("b"), "--join", a.address);
        c = new TuttiScript.Daemon(dir, "--name", "c", "--dir", folder("c"), "--join", a.address);
        removeRing(a);
    }

    /**
     * Returns the cluster that the classes of this JVM share, without the modules that an earlier class has installed. It ends with the JVM. Each
     * class has names of its own for further nodes.
     */
    static synchronized ThreeNodeCluster shared() throws Exception {
        if (shared == null) {
            final Path folder = Files.createTempDirectory("tutti-shared");
            final ThreeNodeCluster started = new ThreeNodeCluster(folder);
            shared = started;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                started.close();
                LiveFolders.delete(folder);
            }, "end of the shared cluster"));
        }
        shared.uninstallAdded();
        return shared;
    }

    /** Removes module ring, with which nodes start, from a cluster: tests install versions of it. */
    static void removeRing(final TuttiScript.Daemon daemon) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(commandLine(daemon, "uninstall", "ring"));
        assertEquals(0, r.status(), r::toString);
    }

    /** Returns whether nodes have a module from their start; module ring is removed then. */
    private static boolean isDefault(final String module) {
        return ProjectPaths.DEFAULT_MODULES.contains(module) && !module.equals("ring");
    }

    /** Returns the folder of a node. */
    String folder(final String node) {
        return dir.resolve("node-" + node).toString();
    }

    /** Runs a command on the cluster, connected to node a. */
    TuttiScript.Result tutti(final String command, final String... args) throws Exception {
        return CommandInJvm.run(commandLine(a, command, args));
    }

    /** Runs a command that must succeed; returns its output. */
    String run(final String command, final Object... args) throws Exception {
        final TuttiScript.Result r = tutti(command, Stream.of(args).map(Object::toString).toArray(String[]::new));
        assertEquals(0, r.status(), r::toString);
        return r.out().strip();
    }

    /** Runs a command that must fail with the given status and one line; returns the line. */
    String runFailing(final int status, final String command, final Object... args) throws Exception {
        final TuttiScript.Result r = tutti(command, Stream.of(args).map(Object::toString).toArray(String[]::new));
        assertEquals(status, r.status(), r::toString);
        assertEquals(1, r.err().lines().count(), r::toString);
        return r.err().strip();
    }

    /** Returns the arguments of a command that connects to the given daemon. */
    static String[] commandLine(final TuttiScript.Daemon daemon, final String command, final String... args) {
        final List<String> line = new ArrayList<>(List.of(command, "--connect", daemon.address));
        line.addAll(List.of(args));
        return line.toArray(String[]::new);
    }

    /** Returns the modules of the nodes except those that they start with, for example {@code ring 1.0.0 on a,b}. */
    List<String> addedModules() throws Exception {
        final List<String> held = new ArrayList<>();
        for (final JsonNode m : JSON.readTree(run("modules", "--json"))) {
            if (!isDefault(m.get("name").asText())) {
                held.add(m.get("name").asText() + " " + m.get("version").asText() + " on " + String.join(",",
                    StreamSupport.stream(m.get("nodes").spliterator(), false).map(JsonNode::asText).toList()));
            }
        }
        return held;
    }

    /** Uninstalls every module except those that nodes start with. */
    void uninstallAdded() throws Exception {
        for (final String name : new TreeSet<>(addedModules().stream().map(h -> h.substring(0, h.indexOf(' '))).toList())) {
            run("uninstall", name);
        }
    }

    /** A job that has started and waits for input. */
    final class Job {
        private final CommandInJvm.Running command;
        private final String id;

        private Job(final String... options) throws Exception {
            final List<String> line = new ArrayList<>(List.of("-n", "3"));
            line.addAll(List.of(options));
            line.addAll(List.of("--cp", programs.toString(), "Holds"));
            command = CommandInJvm.start(commandLine(a, "run", line.toArray(String[]::new)));
            if (!command.lines(1).equals(List.of("up"))) {
                throw new IllegalStateException("job does not start: " + command.end());
            }
            id = jobs().stream().max(Comparator.comparingLong(j -> j.get("since").asLong())).orElseThrow().get("id").asText();
        }

        /** Returns the modules that the job may use, except those that nodes start with. */
        List<String> modules() throws Exception {
            final JsonNode job = jobs().stream().filter(j -> j.get("id").asText().equals(id)).findFirst().orElseThrow();
            return StreamSupport.stream(job.get("modules").spliterator(), false).map(JsonNode::asText)
                .filter(m -> !isDefault(m.substring(0, m.indexOf(' ')))).toList();
        }

        /** Lets the job continue, and waits for its end, which must be successful. */
        void end() throws Exception {
            command.in.write('\n');
            final TuttiScript.Result r = command.end();
            assertEquals(0, r.status(), r::toString);
        }
    }

    private List<JsonNode> jobs() throws Exception {
        final List<JsonNode> jobs = new ArrayList<>();
        JSON.readTree(run("ps", "--json")).forEach(jobs::add);
        return jobs;
    }

    /** Starts a job of three ranks, one on each node, that waits for input. */
    Job startJob(final String... options) throws Exception {
        return new Job(options);
    }

    /** Runs a job; returns the modules that it could use, except those that nodes start with. */
    List<String> modulesOfJob(final String... options) throws Exception {
        final Job job = startJob(options);
        final List<String> modules = job.modules();
        job.end();
        return modules;
    }

    /** Runs a short job of three ranks, which must succeed. */
    void runShortJob() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(commandLine(a, "run", "-n", "3", "--cp", programs.toString(), "Sums"));
        assertEquals(0, r.status(), r::toString);
    }

    /** Returns the files of the modules installed in the container of a node. */
    List<String> installedFiles(final String node) throws IOException {
        return installedFiles(Path.of(folder(node)));
    }

    /** Returns the files of the modules installed in the container of a node with that folder, read from the framework's own folder. */
    static List<String> installedFiles(final Path folder) throws IOException {
        final List<String> files = new ArrayList<>();
        for (final Path info : LiveFolders.below(folder.resolve("container")).stream().filter(p -> p.endsWith("bundle.info")).toList()) {
            try {
                Files.readString(info, StandardCharsets.ISO_8859_1).lines().filter(l -> l.matches(".*/work/modules/[0-9a-f]{16}\\.jar"))
                    .map(l -> l.substring(l.lastIndexOf('/') + 1)).forEach(files::add);
            } catch (final NoSuchFileException e) {
                // the bundle is uninstalled meanwhile
            }
        }
        return files;
    }

    /** Returns the files of modules in the store of a node: its lists of modules and of those in quarantine, from tests before this one, not. */
    List<String> storedFiles(final String node) throws IOException {
        try (Stream<Path> all = Files.list(Path.of(folder(node), "work", "modules"))) {
            return all.map(p -> p.getFileName().toString())
                .filter(f -> !f.startsWith("modules.json") && !f.startsWith("quarantine.json")).sorted().toList();
        }
    }

    /** Returns the name of a module's file in a store. */
    static String storedName(final Path jar) throws Exception {
        final byte[] digest = java.security.MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
        return java.util.HexFormat.of().formatHex(digest).substring(0, 16) + ".jar";
    }

    @Override
    public void close() {
        Stream.of(c, b, a).forEach(TuttiScript.Daemon::close);
    }
}
