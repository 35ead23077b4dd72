package tutti.daemon.control;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import tutti.daemon.channel.ProgramSender;
import tutti.daemon.channel.SourceCompiler;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ProgramFile;
import tutti.runtime.checkpoint.CheckpointOption;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.module.AgreedModules;

/** Turns the request of a rank to spawn processes into the plan of a job: finds the programs, and places the ranks on free places first. */
final class SpawnPlanner {
    private static final String HOST = "host";
    private static final String WDIR = "wdir";
    private static final String PATH = "path";
    private static final String SOFT = "soft";

    private final SpawnRequest request;
    private final JobSpec parent;
    private final Path folder;
    private final List<Path> api;
    private final Set<Path> files = new LinkedHashSet<>();
    private final List<String> mainClasses = new ArrayList<>();

    /**
     * Creates the planner of a request.
     *
     * @param parent the job that requests
     * @param folder folder for files that are compiled
     * @param api    jars on the class path of compilations
     */
    SpawnPlanner(final SpawnRequest request, final JobSpec parent, final Path folder, final List<Path> api) {
        this.request = request;
        this.parent = parent;
        this.folder = folder;
        this.api = api;
    }

    /**
     * Returns the plan.
     *
     * @param agreement agreement of the requesting job, whose parameters and rules the new job gets
     * @param free      number of free places of each node, by name
     * @throws IOException when a program cannot be found or compiled, or a hint is not valid; the message says which
     */
    JobPlan plan(final AgreedModules agreement, final Map<String, Integer> free) throws IOException {
        for (final SpawnRequest.Command command : request.commands()) {
            mainClasses.add(mainClass(command));
        }
        final Map<String, String> parameters = new TreeMap<>(agreement.parameters());
        parameters.keySet().retainAll(agreement.given());
        // a job that was spawned cannot be saved
        parameters.remove(CheckpointOption.PARAMETER);
        final List<ProgramFile> described = new ArrayList<>();
        for (final Path file : files) {
            described.add(ProgramSender.describe(file));
        }
        final int ranks = request.commands().stream().mapToInt(SpawnRequest.Command::ranks).sum();
        return new JobPlan(new Message.Run(ranks, Message.Mapping.BLOCK, List.of(), mainClasses.getFirst(), List.of(), described, parameters,
            agreement.rules(), 0, request.commands().getFirst().program(), "job " + parent.id(), environment(), false, false, null), request.parent(),
            List.copyOf(files),
            (members, any) -> place(members, free));
    }

    /** Returns the environment of the requesting job without the folder of its files, which are not sent to other nodes. */
    private Map<String, String> environment() {
        final Map<String, String> environment = new HashMap<>(parent.environment());
        environment.remove(JobSpec.FILES);
        return environment;
    }

    private String mainClass(final SpawnRequest.Command command) throws IOException {
        final String name = command.program();
        if (name.endsWith(".jar")) {
            final Path jar = find(command);
            files.add(jar);
            try (JarFile file = new JarFile(jar.toFile())) {
                final Manifest manifest = file.getManifest();
                final String mainClass = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
                if (mainClass == null) {
                    throw new IOException("no Main-Class in the manifest of " + jar);
                }
                return mainClass;
            }
        }
        if (name.endsWith(".java")) {
            final Path source = find(command);
            final List<Path> classPath = new ArrayList<>(api);
            classPath.addAll(parent.classPath());
            final SourceCompiler.Compiled compiled = SourceCompiler.compile(source, classPath);
            files.add(pack(compiled.classes()));
            files.addAll(parent.classPath());
            return compiled.mainClass();
        }
        files.addAll(parent.classPath());
        if (!hasClass(name)) {
            throw new IOException("no such class in the program of the job that spawns: class=" + name + "; give a .jar or .java file otherwise");
        }
        return name;
    }

    private boolean hasClass(final String name) throws IOException {
        final String entry = name.replace('.', '/') + ".class";
        for (final Path element : parent.classPath()) {
            try (JarFile jar = new JarFile(element.toFile())) {
                if (jar.getEntry(entry) != null) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns a file: where the hint wdir says, in a folder of the hint path, or in the folder in which the daemon runs. */
    private static Path find(final SpawnRequest.Command command) throws IOException {
        final List<Path> candidates = new ArrayList<>();
        if (command.info().containsKey(WDIR)) {
            candidates.add(Path.of(command.info().get(WDIR)).resolve(command.program()));
        }
        for (final String element : command.info().getOrDefault(PATH, "").split(java.io.File.pathSeparator)) {
            if (!element.isEmpty()) {
                candidates.add(Path.of(element).resolve(command.program()));
            }
        }
        candidates.add(Path.of(command.program()).toAbsolutePath());
        for (final Path candidate : candidates) {
            if (Files.isReadable(candidate)) {
                return candidate;
            }
        }
        throw new IOException("no such file on the node of the root: program=" + command.program() + ", searched=" + candidates);
    }

    private Path pack(final Map<String, byte[]> classes) throws IOException {
        Files.createDirectories(folder);
        final Path jar = folder.resolve("compiled-" + files.size() + ".jar");
        try (OutputStream file = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(file)) {
            for (final Map.Entry<String, byte[]> c : classes.entrySet()) {
                out.putNextEntry(new JarEntry(c.getKey().replace('.', '/') + ".class"));
                out.write(c.getValue());
                out.closeEntry();
            }
        }
        return jar;
    }

    /** Places the ranks of each program on the free places of its hosts, and those that find none where fewest are. */
    private JobPlan.PlacedRanks place(final List<NodeInfo> members, final Map<String, Integer> free) throws IOException {
        final List<NodeInfo> sorted = members.stream().sorted(Comparator.comparing(NodeInfo::name)).toList();
        final Map<String, Integer> left = new HashMap<>();
        sorted.forEach(n -> left.put(n.name(), free.getOrDefault(n.name(), 0)));
        final List<NodeInfo> nodeOfRank = new ArrayList<>();
        final List<JobProgram> programs = new ArrayList<>();
        for (final SpawnRequest.Command command : request.commands()) {
            final List<NodeInfo> hosts = hosts(command, sorted);
            final int places = hosts.stream().mapToInt(h -> Math.max(0, left.get(h.name()))).sum();
            final int count = count(command, places);
            programs.add(new JobProgram(mainClasses.get(programs.size()), command.args(), count, command.ranks()));
            for (int n = count; n > 0; n--) {
                final NodeInfo host = hosts.stream().filter(h -> left.get(h.name()) > 0).findFirst()
                    .orElseGet(() -> hosts.stream().max(Comparator.comparingInt(h -> left.get(h.name()))).orElseThrow());
                left.merge(host.name(), -1, Integer::sum);
                nodeOfRank.add(host);
            }
        }
        final List<NodeInfo> used = sorted.stream().filter(nodeOfRank::contains).toList();
        return new JobPlan.PlacedRanks(new Placement(used.stream().map(i -> new NodeAddress(i.name(), i.host(), i.port())).toList(),
            nodeOfRank.stream().map(used::indexOf).toList()), programs);
    }

    private static List<NodeInfo> hosts(final SpawnRequest.Command command, final List<NodeInfo> members) throws IOException {
        final String hint = command.info().get(HOST);
        if (hint == null) {
            return members;
        }
        final Set<String> wanted = new TreeSet<>(Arrays.asList(hint.strip().split("\\s*,\\s*")));
        for (final String name : wanted) {
            if (members.stream().noneMatch(isNamed(name))) {
                throw new IOException("no such node in the cluster: host=" + name + ", nodes=" + members.stream().map(NodeInfo::name).toList());
            }
        }
        return members.stream().filter(m -> wanted.stream().anyMatch(name -> isNamed(name).test(m))).toList();
    }

    private static Predicate<NodeInfo> isNamed(final String name) {
        return node -> node.name().equals(name) || node.host().equals(name);
    }

    /** Returns the number of ranks of a program: of those that the hint soft accepts, the largest for which there are places, else the smallest. */
    private static int count(final SpawnRequest.Command command, final int places) throws IOException {
        final String hint = command.info().get(SOFT);
        if (hint == null) {
            return command.ranks();
        }
        final TreeSet<Integer> accepted = new TreeSet<>();
        for (final String range : hint.strip().split("\\s*,\\s*")) {
            final String[] parts = range.split(":");
            try {
                final int first = Integer.parseInt(parts[0]);
                final int last = parts.length > 1 ? Integer.parseInt(parts[1]) : first;
                final int step = parts.length > 2 ? Integer.parseInt(parts[2]) : 1;
                if (parts.length > 3 || step < 1) {
                    throw new IOException("bad hint: soft=" + hint + ": expected FIRST, FIRST:LAST or FIRST:LAST:STEP, separated by commas");
                }
                for (int n = Math.max(1, first); n <= Math.min(last, command.ranks()); n++) {
                    if ((n - first) % step == 0) {
                        accepted.add(n);
                    }
                }
            } catch (final NumberFormatException e) {
                throw new IOException("bad hint: soft=" + hint + ": expected FIRST, FIRST:LAST or FIRST:LAST:STEP, separated by commas", e);
            }
        }
        if (accepted.isEmpty()) {
            throw new IOException("hint soft accepts no number of processes: soft=" + hint + ", maxprocs=" + command.ranks());
        }
        final Integer fits = accepted.floor(places);
        return fits == null ? accepted.first() : fits;
    }
}
