package tutti.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of {@code tutti run} for what the ranks find around them - environment, folder, files - and for what becomes of their output. */
final class RankOptions {
    @Option(names = "-x", paramLabel = "NAME[=VALUE]", description = {
        "a variable for the environment of the program, by default with its value here; may be repeated.",
        "System.getenv of the program has it, processes that the program starts do not"})
    private List<String> variables = new ArrayList<>();

    @Option(names = {"--wdir", "-wdir"}, paramLabel = "DIR",
        description = "working folder of the containers that are started for this run, on every host; by default the current folder")
    private @Nullable Path folder;

    @Option(names = "--file", paramLabel = "FILE", description = {
        "send this file to every node; may be repeated. The program finds it under its name in the folder that its variable TUTTI_FILES",
        "names; the folder is deleted when the job ends"})
    private List<Path> files = new ArrayList<>();

    @Option(names = "--label", description = "put the rank before each line of output")
    private boolean label;

    @Option(names = "--output-filename", paramLabel = "PREFIX",
        description = "write the output of each rank, standard output and error, to a file PREFIX.RANK in place of the terminal")
    private @Nullable Path output;

    @Option(names = "--display", paramLabel = "map", description = "print to standard error which node has which ranks, before they start")
    private @Nullable Display display;

    /** What a run displays besides the output. */
    enum Display {
        /** The nodes with their ranks. */
        MAP
    }

    /** Checks the values of the options. */
    void check(final JobOptions job) {
        for (final String variable : variables) {
            final String name = variable.replaceFirst("=.*", "");
            job.refuse(name.isEmpty(), "not a variable: -x " + variable + ", expected NAME or NAME=VALUE");
            job.refuse(!variable.contains("=") && System.getenv(name) == null, "variable is not set: -x " + name + "; set it, or give its value: -x "
                + name + "=VALUE");
        }
        job.refuse(folder != null && job.isConnected(), "--wdir and --connect exclude each other: running daemons keep their folders; "
            + "give the program absolute paths, or send files with --file");
        for (final Path file : files) {
            job.refuse(!file.toFile().isFile(), CommandFailure.notFound("file", file));
        }
        job.refuse(output != null && label, "--output-filename and --label exclude each other: the name of the file has the rank");
        job.checkOutput("--output-filename", output == null ? null : output + ".0");
    }

    /** Returns the variables of the environment, with their values. */
    Map<String, String> environment() {
        return environment(System::getenv);
    }

    Map<String, String> environment(final Function<String, String> here) {
        final Map<String, String> environment = new LinkedHashMap<>();
        for (final String variable : variables) {
            final int equals = variable.indexOf('=');
            environment.put(equals < 0 ? variable : variable.substring(0, equals), equals < 0 ? here.apply(variable)
                : variable.substring(equals + 1));
        }
        return environment;
    }

    /** Returns the working folder of containers that are started for the run; null for the current one. */
    @Nullable
    Path folder() {
        return folder == null ? null : folder.toAbsolutePath().normalize();
    }

    /** Returns the files to send to the nodes. */
    List<Path> files() {
        return files;
    }

    /** Returns whether the rank is printed before each line. */
    boolean isLabelled() {
        return label;
    }

    /** Returns the prefix of the files for the output of the ranks; null when it is printed. */
    @Nullable
    Path output() {
        return output;
    }

    boolean isMapDisplayed() {
        return display == Display.MAP;
    }

    /** Returns whether the placement of the ranks is needed. */
    boolean needsPlacement() {
        return display == Display.MAP || output != null;
    }
}
