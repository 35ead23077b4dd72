package tutti.runtime.process.owner;

import java.util.List;
import java.util.Map;

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
     */
    public record Options(Map<String, String> properties, List<String> assertions, List<String> opens, List<String> exports,
        List<String> modules, boolean preview) {
        /** No options. */
        public static final Options NONE = new Options(Map.of(), List.of(), List.of(), List.of(), List.of(), false);

        /** Copies the collections. */
        public Options {
            properties = Map.copyOf(properties);
            assertions = List.copyOf(assertions);
            opens = List.copyOf(opens);
            exports = List.copyOf(exports);
            modules = List.copyOf(modules);
        }
    }

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
