package tutti.junit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Launcher of programs for development environments: it runs a class of its own class path by {@code tutti run}, with nodes that it starts and stops.
 *
 * <p>A run configuration names this class as the main class, and as arguments what {@code tutti run} takes, {@code -n 4 com.example.Sum}. Or a class
 * beside the tests has a main method of one line:
 *
 * <pre>{@code
 * public static void main(String[] args) {
 *     RankLauncher.run(4, Sum.class, args);
 * }
 * }</pre>
 *
 * <p>Standard input, output and errors are those of this JVM.
 */
public final class RankLauncher {
    private RankLauncher() {}

    /** Runs a program and ends the JVM with its status. The arguments are options of {@code tutti run}, a class, and arguments of the program. */
    public static void main(final String[] args) {
        System.exit(tutti(List.of(), Arrays.asList(args)));
    }

    /**
     * Runs a program on two nodes; returns its exit status.
     *
     * @param ranks   number of ranks
     * @param program class with {@code main}
     * @param args    arguments of {@code main}
     */
    public static int run(final int ranks, final Class<?> program, final String... args) {
        final List<String> words = new ArrayList<>(List.of(program.getName()));
        words.addAll(Arrays.asList(args));
        return tutti(List.of("-n", Integer.toString(ranks)), words);
    }

    private static int tutti(final List<String> options, final List<String> words) {
        final List<String> line = new ArrayList<>(List.of(TuttiHome.command().toString(), "run", "--cp", ClassPath.ofProgram()));
        line.addAll(options);
        line.addAll(words);
        try {
            final Process process = command(line).inheritIO().start();
            // a stopped run configuration ends the job
            final Thread onSignal = new Thread(process::destroy, "tutti-signal");
            Runtime.getRuntime().addShutdownHook(onSignal);
            final int status = process.waitFor();
            Runtime.getRuntime().removeShutdownHook(onSignal);
            return status;
        } catch (final IOException e) {
            throw new IllegalStateException("command cannot be run: " + TuttiHome.command(), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a program ran: " + words, e);
        }
    }

    /** Returns a process whose JVMs are of the JDK of this one. */
    static ProcessBuilder command(final List<String> line) {
        final ProcessBuilder process = new ProcessBuilder(line);
        process.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return process;
    }
}
