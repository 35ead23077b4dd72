package tutti.itest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a README tells people to type. */
final class Readme {
    private Readme() { }

    /**
     * A block of commands, and what they print.
     *
     * @param commands a line each
     * @param output   lines that are printed, in which {@code ...} stands for anything; maybe none
     */
    record Step(List<String> commands, List<String> output) {
        /** What of the output was not printed, in its order. */
        List<String> missing(final String printed) {
            final List<String> lines = printed.lines().toList();
            return output.stream().filter(o -> lines.stream().noneMatch(pattern(o).asMatchPredicate())).toList();
        }

        private static Pattern pattern(final String line) {
            return Pattern.compile(Stream.of(line.strip().split("\\s*\\.\\.\\.\\s*", -1)).map(Pattern::quote)
                .collect(Collectors.joining(".*", "\\s*", "\\s*")));
        }
    }

    /** Its blocks of shell commands, each with the block of text that follows it. */
    static List<Step> steps(final Path readme) throws IOException {
        final List<Step> steps = new ArrayList<>();
        List<String> block = null;
        for (final String line : Files.readAllLines(readme)) {
            if (line.equals("```sh")) {
                steps.add(new Step(new ArrayList<>(), new ArrayList<>()));
                block = steps.getLast().commands;
            } else if (line.equals("```text")) {
                block = steps.getLast().output;
            } else if (line.startsWith("```")) {
                block = null;
            } else if (block != null && !line.isBlank()) {
                block.add(line);
            }
        }
        return steps;
    }

    /** The lines of its blocks of shell commands. */
    static List<String> commands(final Path readme) throws IOException {
        final List<String> commands = new ArrayList<>();
        boolean shell = false;
        for (final String line : Files.readAllLines(readme)) {
            if (line.startsWith("```")) {
                shell = line.equals("```sh");
            } else if (shell && !line.isBlank()) {
                commands.add(line.strip());
            }
        }
        return commands;
    }
}
