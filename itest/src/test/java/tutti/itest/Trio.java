package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A cluster of three daemons, {@code a}, {@code b} and {@code c}, each with a folder of its own, and commands that use it. */
final class Trio implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    final Path dir;
    /** Folder with the classes {@code Holds} and {@code Sums}. */
    final Path programs;
    final Cli.Daemon a;
    final Cli.Daemon b;
    final Cli.Daemon c;

    Trio(final Path dir) throws Exception {
        this.dir = dir;
        programs = Files.createDirectory(dir.resolve("programs"));
        // calls collectives before and after it waits for a line of standard input
        Cli.program(programs, "Holds", """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            if (rank == 0) { System.out.println("up"); System.in.read(); }
            int[] more = {rank == 0 ? sum[0] : 0};
            MPI.COMM_WORLD.bcast(more, 1, MPI.INT, 0);
            MPI.COMM_WORLD.barrier();
            if (more[0] != size * (size + 1) / 2 || sum[0] != more[0]) { System.exit(9); }""");
        Cli.compile(programs, "Holds");
        Cli.program(programs, "Sums", """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            MPI.COMM_WORLD.bcast(sum, 1, MPI.INT, 0);
            MPI.COMM_WORLD.barrier();
            if (sum[0] != size * (size + 1) / 2) { System.exit(9); }""");
        Cli.compile(programs, "Sums");
        a = new Cli.Daemon(dir, "--name", "a", "--dir", folder("a"));
        b = new Cli.Daemon(dir, "--name", "b", "--dir", folder("b"), "--join", a.address);
        c = new Cli.Daemon(dir, "--name", "c", "--dir", folder("c"), "--join", a.address);
    }

    /** Returns the folder of a node. */
    String folder(final String node) {
        return dir.resolve("node-" + node).toString();
    }

    /** Runs a command on the cluster, connected to node a. */
    Cli.Result tutti(final String command, final String... args) throws Exception {
        return Here.run(line(a, command, args));
    }

    /** Runs a command that must succeed; returns its output. */
    String does(final String command, final Object... args) throws Exception {
        final Cli.Result r = tutti(command, Stream.of(args).map(Object::toString).toArray(String[]::new));
        assertEquals(0, r.status(), r::toString);
        return r.out().strip();
    }

    /** Runs a command that must fail with the given status and one line; returns the line. */
    String fails(final int status, final String command, final Object... args) throws Exception {
        final Cli.Result r = tutti(command, Stream.of(args).map(Object::toString).toArray(String[]::new));
        assertEquals(status, r.status(), r::toString);
        assertEquals(1, r.err().lines().count(), r::toString);
        return r.err().strip();
    }

    /** Returns the arguments of a command that connects to the given daemon. */
    static String[] line(final Cli.Daemon daemon, final String command, final String... args) {
        final List<String> line = new ArrayList<>(List.of(command, "--connect", daemon.address));
        line.addAll(List.of(args));
        return line.toArray(String[]::new);
    }

    /** Returns the modules of the nodes except those that they start with, for example {@code ring 1.0.0 on a,b}. */
    List<String> held() throws Exception {
        final List<String> held = new ArrayList<>();
        for (final JsonNode m : JSON.readTree(does("modules", "--json"))) {
            if (!Home.STARTED.contains(m.get("name").asText())) {
                held.add(m.get("name").asText() + " " + m.get("version").asText() + " on " + String.join(",",
                    StreamSupport.stream(m.get("nodes").spliterator(), false).map(JsonNode::asText).toList()));
            }
        }
        return held;
    }

    /** Uninstalls every module except those that nodes start with. */
    void onlyStarted() throws Exception {
        for (final String name : new TreeSet<>(held().stream().map(h -> h.substring(0, h.indexOf(' '))).toList())) {
            does("uninstall", name);
        }
    }

    /** A job that has started and waits for input. */
    final class Job {
        private final Here.Running command;
        private final String id;

        private Job(final String... options) throws Exception {
            final List<String> line = new ArrayList<>(List.of("-n", "3"));
            line.addAll(List.of(options));
            line.addAll(List.of("--cp", programs.toString(), "Holds"));
            command = Here.start(line(a, "run", line.toArray(String[]::new)));
            if (!command.lines(1).equals(List.of("up"))) {
                throw new IllegalStateException("job does not start: " + command.end());
            }
            id = jobs().stream().max(Comparator.comparingLong(j -> j.get("since").asLong())).orElseThrow().get("id").asText();
        }

        /** Returns the modules that the job may use, except those that nodes start with. */
        List<String> modules() throws Exception {
            final JsonNode job = jobs().stream().filter(j -> j.get("id").asText().equals(id)).findFirst().orElseThrow();
            return StreamSupport.stream(job.get("modules").spliterator(), false).map(JsonNode::asText)
                .filter(m -> !Home.STARTED.contains(m.substring(0, m.indexOf(' ')))).toList();
        }

        /** Lets the job continue, and waits for its end, which must be successful. */
        void end() throws Exception {
            command.in.write('\n');
            final Cli.Result r = command.end();
            assertEquals(0, r.status(), r::toString);
        }
    }

    private List<JsonNode> jobs() throws Exception {
        final List<JsonNode> jobs = new ArrayList<>();
        JSON.readTree(does("ps", "--json")).forEach(jobs::add);
        return jobs;
    }

    /** Starts a job of three ranks, one on each node, that waits for input. */
    Job begin(final String... options) throws Exception {
        return new Job(options);
    }

    /** Runs a job; returns the modules that it could use, except those that nodes start with. */
    List<String> used(final String... options) throws Exception {
        final Job job = begin(options);
        final List<String> modules = job.modules();
        job.end();
        return modules;
    }

    /** Runs a short job of three ranks, which must succeed. */
    void works() throws Exception {
        final Cli.Result r = Here.run(line(a, "run", "-n", "3", "--cp", programs.toString(), "Sums"));
        assertEquals(0, r.status(), r::toString);
    }

    /** Returns the files of the modules installed in the container of a node, read from the framework's own folder. */
    List<String> installed(final String node) throws IOException {
        final List<String> files = new ArrayList<>();
        try (Stream<Path> all = Files.walk(Path.of(folder(node), "container"))) {
            for (final Path info : all.filter(p -> p.endsWith("bundle.info")).toList()) {
                Files.readString(info, StandardCharsets.ISO_8859_1).lines().filter(l -> l.contains("/work/modules/"))
                    .map(l -> l.substring(l.lastIndexOf('/') + 1)).forEach(files::add);
            }
        }
        return files;
    }

    /** Returns the files in the store of a node. */
    List<String> kept(final String node) throws IOException {
        try (Stream<Path> all = Files.list(Path.of(folder(node), "work", "modules"))) {
            return all.map(p -> p.getFileName().toString()).filter(f -> !f.startsWith("modules.json")).sorted().toList();
        }
    }

    /** Returns the name of a module's file in a store. */
    static String stored(final Path jar) throws Exception {
        final byte[] digest = java.security.MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
        return java.util.HexFormat.of().formatHex(digest).substring(0, 16) + ".jar";
    }

    @Override
    public void close() {
        Stream.of(c, b, a).forEach(Cli.Daemon::close);
    }
}
