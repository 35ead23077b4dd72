package tutti.daemon.job;

import java.io.IOException;
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
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.command.JavaCommandLine;
import tutti.daemon.command.ProgramJars;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.RanksPerJvm;
import tutti.daemon.protocol.ProgramFile;
import tutti.runtime.checkpoint.store.CheckpointOption;
import tutti.runtime.checkpoint.store.MemoryOption;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.model.LossMode;
import tutti.runtime.module.AgreedModules;

/** Turns the request of a rank to spawn processes into the plan of a job: finds the programs, and places the ranks on free places first. */
final class SpawnPlanner {
    private static final String HOST = "host";
    private static final String WDIR = "wdir";
    private static final String PATH = "path";
    private static final String SOFT = "soft";

    private final SpawnRequest request;
    private final JobSpec parent;
    private final @Nullable String owner;
    private final List<Path> api;
    private final ProgramJars jars;
    /** By program. */
    private final List<ProgramJars.Main> mains = new ArrayList<>();
    /** By program. */
    private final List<List<String>> args = new ArrayList<>();
    private final Set<String> notes = new LinkedHashSet<>();

    /**
     * Creates the planner of a request.
     *
     * @param parent the job that requests
     * @param owner  who runs it; null if that is not known
     * @param folder folder for files that are compiled
     * @param api    jars on the class path of compilations
     */
    SpawnPlanner(final SpawnRequest request, final JobSpec parent, final @Nullable String owner, final Path folder, final List<Path> api) {
        this.request = request;
        this.parent = parent;
        this.owner = owner;
        this.jars = new ProgramJars(folder);
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
        final Map<String, String> parameters = new TreeMap<>(agreement.parameters());
        parameters.keySet().retainAll(agreement.given());
        for (final SpawnRequest.Command command : request.commands()) {
            addProgram(command, RanksPerJvm.of(parameters) == 1);
        }
        // a job that was spawned cannot be saved, and has no spare ranks
        parameters.remove(CheckpointOption.PARAMETER);
        parameters.remove(MemoryOption.PARAMETER);
        parameters.remove(LossMode.SPARES_PARAMETER);
        final List<ProgramFile> described = new ArrayList<>();
        for (final Path file : jars.files()) {
            described.add(ProgramFiles.describe(file));
        }
        final int ranks = request.commands().stream().mapToInt(SpawnRequest.Command::ranks).sum();
        return new JobPlan(new RunRequest(ranks, RunRequest.Mapping.BLOCK, List.of(), mains.getFirst().name(), List.of(), described, parameters,
            agreement.rules(), 0, displayed(), "job " + parent.id(), environment(), false, false, null),
            new JobPlan.Parent(parent.id(), request.parent()), owner,
            (members, any) -> place(members, free));
    }

    /** Returns the files of the programs, of which the plan has the descriptions. */
    List<Path> files() {
        return List.copyOf(jars.files());
    }

    /** Returns what the user should know about the programs, in lines. */
    Set<String> notes() {
        return notes;
    }

    /** Returns the environment of the requesting job without the folder of its files, which are not sent to other nodes. */
    private Map<String, String> environment() {
        final Map<String, String> environment = new HashMap<>(parent.environment());
        environment.remove(JobSpec.FILES);
        return environment;
    }

    /** Returns the first program as users know it. */
    private String displayed() {
        final String name = request.commands().getFirst().program();
        return JavaCommandLine.isJava(name) ? mains.getFirst().name() : name;
    }

    private void addProgram(final SpawnRequest.Command command, final boolean hasOwnJvms) throws IOException {
        final boolean isJava = JavaCommandLine.isJava(command.program());
        final List<String> words = new ArrayList<>(isJava ? command.args()
            : command.program().endsWith(".jar") ? List.of("-jar", command.program()) : List.of(command.program()));
        if (!isJava) {
            words.addAll(command.args());
        }
        final JavaCommandLine line = JavaCommandLine.parse(words, path -> existing(command, path.toString()));
        final List<Path> given = new ArrayList<>();
        for (final String element : line.classPath() == null ? List.<String>of() : line.classPath()) {
            final List<Path> found = element.isEmpty() ? null : ProgramJars.expand(existing(command, element).toString());
            // what is not there is left out, as java does
            given.addAll(found == null ? List.of() : found);
        }
        final ProgramJars.Main main = main(command, line, given);
        if (hasOwnJvms) {
            mains.add(jars.withOwnJvm(main, line, path -> existing(command, path.toString())));
        } else {
            mains.add(main);
            main.ignored().forEach(i -> notes.add("ignored: " + i));
            if (!line.ignored().isEmpty()) {
                notes.add(line.ignored());
            }
        }
        args.add(line.args());
    }

    private ProgramJars.Main main(final SpawnRequest.Command command, final JavaCommandLine line, final List<Path> given) throws IOException {
        switch (line.kind()) {
            case JAR -> {
                return jars.addExecutable(find(command, line.program()), line);
            }
            case SOURCE -> {
                final List<Path> classPath = new ArrayList<>(api);
                classPath.addAll(given);
                classPath.addAll(parent.classPath());
                final ProgramJars.Main main = jars.addSource(find(command, line.program()), classPath, line);
                addAll(given);
                addAll(parent.classPath());
                return main;
            }
            default -> {
                if (hasClass(given, line.program())) {
                    addAll(given);
                } else if (!hasClass(parent.classPath(), line.program())) {
                    // Cause: the name is not that of a class of the program.
                    throw new IOException("no such class in the program of the job that spawns: class=" + line.program()
                        + "; give a .jar or .java file otherwise");
                }
                addAll(parent.classPath());
                return new ProgramJars.Main(line.program(), line.options(), List.of());
            }
        }
    }

    private void addAll(final List<Path> elements) throws IOException {
        for (final Path element : elements) {
            jars.add(element);
        }
    }

    private static boolean hasClass(final List<Path> classPath, final String name) throws IOException {
        for (final Path element : classPath) {
            if (ProgramJars.hasClass(element, name)) {
                return true;
            }
        }
        return false;
    }

    /** Returns a file that must be there. */
    private static Path find(final SpawnRequest.Command command, final String name) throws IOException {
        final Path file = existing(command, name);
        if (!Files.isReadable(file)) {
            // Cause: the spawned program is looked for on the node of the root. Remedy: put it there, or give info `path`.
            throw new IOException("no such file on the node of the root: program=" + name + ", searched=" + candidates(command, name));
        }
        return file;
    }

    /** Returns the first candidate that exists; the last one when none does. */
    private static Path existing(final SpawnRequest.Command command, final String name) {
        final List<Path> candidates = candidates(command, name);
        return candidates.stream().filter(c -> Files.exists(name.endsWith("*") ? c.getParent() : c)).findFirst().orElse(candidates.getLast());
    }

    /** Returns where a file may be: where the hint wdir says, in a folder of the hint path, or in the folder in which the daemon runs. */
    private static List<Path> candidates(final SpawnRequest.Command command, final String name) {
        final List<Path> candidates = new ArrayList<>();
        if (command.info().containsKey(WDIR)) {
            candidates.add(Path.of(command.info().get(WDIR)).resolve(name));
        }
        for (final String element : command.info().getOrDefault(PATH, "").split(java.io.File.pathSeparator)) {
            if (!element.isEmpty()) {
                candidates.add(Path.of(element).resolve(name));
            }
        }
        candidates.add(Path.of(name).toAbsolutePath());
        return candidates;
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
            final int places = hosts.stream().mapToInt(h -> Math.max(0, left.getOrDefault(h.name(), 0))).sum();
            final int count = count(command, places);
            final ProgramJars.Main main = mains.get(programs.size());
            programs.add(new JobProgram(main.name(), args.get(programs.size()), count, command.ranks(), main.options()));
            for (int n = count; n > 0; n--) {
                final NodeInfo host = hosts.stream().filter(h -> left.getOrDefault(h.name(), 0) > 0).findFirst()
                    .orElseGet(() -> hosts.stream().max(Comparator.comparingInt(h -> left.getOrDefault(h.name(), 0))).orElseThrow());
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
                // Cause: info `host` names no node. Remedy: `tutti nodes`.
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
                    // Cause: info `soft` has another form.
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
            // Cause: none of its numbers is 1 to maxprocs. Remedy: another hint.
            throw new IOException("hint soft accepts no number of processes: soft=" + hint + ", maxprocs=" + command.ranks());
        }
        final Integer fits = accepted.floor(places);
        return fits == null ? accepted.first() : fits;
    }
}
