package tutti.runtime.process.owner;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The program that a rank runs.
 *
 * @param job       id of the job, for names and messages
 * @param rank      number of the rank in the job, for names and messages
 * @param mainClass name of the class with {@code main}
 * @param args      arguments of {@code main}
 * @param environment variables that the program finds in its environment, besides those of the JVM, which they replace
 * @param options   options of its command line
 */
public record RankProgram(String job, int rank, String mainClass, List<String> args, Map<String, String> environment, Options options) {
    /**
     * Options of the {@code java} command that a rank takes for itself, although it shares its JVM with others.
     *
     * @param properties system properties, which the classes of the program find besides those of the JVM
     * @param assertions switches of assertions, in their order: {@code -ea} or {@code -da}, with {@code :CLASS} or {@code :PACKAGE...}
     * @param opens      packages of modules of the JDK that are open to the program, {@code MODULE/PACKAGE}
     * @param exports    packages of modules of the JDK that are exported to the program, {@code MODULE/PACKAGE}
     * @param modules    modules that the JVM must have
     * @param preview    whether the JVM must have preview features enabled
     * @param jvm        options with which the JVM of a rank starts that has one of its own
     * @param agents     agents of the JVM of a rank that has one of its own, which start before the program
     */
    public record Options(Map<String, String> properties, List<String> assertions, List<String> opens, List<String> exports,
        List<String> modules, boolean preview, List<String> jvm, List<Agent> agents) {
        /** No options. */
        public static final Options NONE = new Options(Map.of(), List.of(), List.of(), List.of(), List.of(), false, List.of(), List.of());

        /** Copies the collections. */
        public Options {
            properties = Map.copyOf(properties);
            assertions = List.copyOf(assertions);
            opens = List.copyOf(opens);
            exports = List.copyOf(exports);
            modules = List.copyOf(modules);
            jvm = List.copyOf(jvm);
            agents = List.copyOf(agents);
        }

        /** Creates options that hold in a JVM that ranks share, too. */
        public Options(final Map<String, String> properties, final List<String> assertions, final List<String> opens, final List<String> exports,
            final List<String> modules, final boolean preview) {
            this(properties, assertions, opens, exports, modules, preview, List.of(), List.of());
        }

        /** Returns these options for ranks that have a JVM of their own each. */
        public Options withJvm(final List<String> ofJvm, final List<Agent> started) {
            return new Options(properties, assertions, opens, exports, modules, preview, ofJvm, started);
        }
    }

    /**
     * Agent of a JVM, as package {@code java.lang.instrument} has them.
     *
     * @param entry    index of its jar in the class path of the program
     * @param argument given to the agent; null when there is none
     * @param launched whether it is the launcher agent of an executable jar, and not one of the command line
     */
    public record Agent(int entry, @Nullable String argument, boolean launched) {}

    /** Copies the arguments and variables. */
    public RankProgram {
        args = List.copyOf(args);
        environment = Map.copyOf(environment);
    }

    /** Creates a program with the environment of the JVM. */
    public RankProgram(final String job, final int rank, final String mainClass, final List<String> args) {
        this(job, rank, mainClass, args, Map.of(), Options.NONE);
    }

    /** Returns the name of the main thread, which is also the prefix of the names of the runtime's threads for this rank. */
    public String threadName() {
        return "tutti-" + job + "-rank" + rank;
    }
}
