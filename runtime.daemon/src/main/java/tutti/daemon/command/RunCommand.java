package tutti.daemon.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tutti.daemon.protocol.HostPort;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.ProgramSender;
import tutti.daemon.protocol.Protocol;

/** {@code tutti run}. */
@Command(name = "run", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Runs a program: a .java source file, a .jar with a Main-Class, or a class with --cp.")
final class RunCommand implements Callable<Integer> {
    private static final int EMBEDDED_NODES = 2;

    @Option(names = "-n", paramLabel = "RANKS", description = "how many ranks; by default one per core of the cluster")
    private Integer ranks;

    @Option(names = "--nodes", paramLabel = "K",
        description = "start a cluster of K containers on this machine for this run; by default 2, and not more than ranks")
    private Integer nodes;

    @Option(names = "--connect", paramLabel = "HOST:PORT", description = "run on the cluster of the daemon at that address")
    private String connect;

    @Option(names = "--map", paramLabel = "block|cyclic", defaultValue = "block", description = "how ranks are dealt out to nodes")
    private Mapping map;

    @Option(names = {"--cp", "--class-path"}, paramLabel = "PATH", description = "jars and folders of the program")
    private String classPath;

    @Option(names = "-p", paramLabel = "KEY=VALUE", description = "a parameter of the job; may be repeated")
    private Map<String, String> parameters = new LinkedHashMap<>();

    @Option(names = "--timeout", paramLabel = "S", description = "end the job after so many seconds, with status 124")
    private Double timeout;

    @Option(names = "--label", description = "put the rank before each line of output")
    private boolean label;

    @Parameters(index = "0", paramLabel = "PROGRAM", description = "what to run")
    private String program;

    @Parameters(index = "1..*", paramLabel = "ARG", description = "what the program gets")
    private List<String> args = new ArrayList<>();

    @Spec
    private CommandSpec spec;

    /** Ways to deal out ranks. */
    enum Mapping { BLOCK, CYCLIC }

    @Override
    public Integer call() throws Exception {
        check();
        if (connect != null) {
            final HostPort address = Connect.parse(connect);
            try (Program p = Program.of(program, classPath, Installation.api()); Client client = Client.connect(address)) {
                return run(p, client);
            }
        }
        final int count = nodes != null ? nodes : ranks == null ? EMBEDDED_NODES : Math.min(ranks, EMBEDDED_NODES);
        // the containers start while the program is compiled
        try (EmbeddedCluster cluster = EmbeddedCluster.start(count); Program p = Program.of(program, classPath, Installation.api());
             Client client = Client.connect(cluster.join())) {
            return run(p, client);
        }
    }

    private void check() {
        refuse(ranks != null && (ranks < 1 || ranks > Protocol.MAX_RANKS), "ranks out of range: -n " + ranks + ", range=1.."
            + Protocol.MAX_RANKS);
        refuse(nodes != null && (nodes < 1 || nodes > 64), "nodes out of range: --nodes " + nodes + ", range=1..64");
        refuse(nodes != null && connect != null, "--nodes and --connect exclude each other");
        refuse(timeout != null && !(timeout > 0), "timeout out of range: --timeout " + timeout + ", min=0 (exclusive)");
        refuse(program.endsWith(".java") && !Path.of(program).toFile().isFile(), "program not found: " + program);
        refuse(program.endsWith(".jar") && !Path.of(program).toFile().isFile(), "program not found: " + program);
    }

    private void refuse(final boolean bad, final String why) {
        if (bad) {
            throw new ParameterException(spec.commandLine(), why);
        }
    }

    private int run(final Program p, final Client client) throws IOException, InterruptedException {
        final List<ProgramFile> files = new ArrayList<>();
        for (final Path f : p.files()) {
            files.add(ProgramSender.describe(f));
        }
        final JobConsole console = new JobConsole(client, label);
        final Message.Run run;
        try {
            run = new Message.Run(ranks == null ? 0 : ranks, map == Mapping.CYCLIC, p.mainClass(), args, files, parameters,
                timeout == null ? 0 : Math.max(1, Math.round(timeout * 1000)), program, System.getProperty("user.name"));
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        return console.follow(run, p.files());
    }
}
