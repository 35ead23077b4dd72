package tutti.itest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The commands that a page of the documentation tells people to type, and the output that it promises. */
final class Page {
    /** A command in a row of a table, as {@code `./tutti ...`} in its last column. */
    private static final Pattern ROW = Pattern.compile("\\|.*\\| `(?<command>\\./tutti [^`]+)` \\|");

    private Page() {}

    /**
     * A block of commands with its output.
     *
     * @param commands one per line
     * @param output   lines that are printed, in which {@code ...} stands for any text; possibly none
     */
    record Step(List<String> commands, List<String> output) {
        /** Returns the lines of the output that were not printed. */
        List<String> missing(final String printed) {
            final List<String> lines = printed.lines().toList();
            return output.stream().filter(o -> lines.stream().noneMatch(pattern(o).asMatchPredicate())).toList();
        }

        private static Pattern pattern(final String line) {
            return Pattern.compile(Stream.of(line.strip().split("\\s*\\.\\.\\.\\s*", -1)).map(Pattern::quote)
                .collect(Collectors.joining(".*", "\\s*", "\\s*")));
        }
    }

    /**
     * Returns the blocks of shell commands of a page, each with the block of text that follows it, and the commands of tables. A line that ends with
     * a backslash goes on.
     */
    static List<Step> steps(final Path page) throws IOException {
        final List<Step> steps = new ArrayList<>();
        List<String> block = null;
        for (final String line : Files.readAllLines(page)) {
            final Matcher row = ROW.matcher(line);
            if (block == null && row.matches()) {
                steps.add(new Step(List.of(row.group("command")), List.of()));
            } else if (line.equals("```sh")) {
                steps.add(new Step(new ArrayList<>(), new ArrayList<>()));
                block = steps.getLast().commands;
            } else if (line.equals("```text")) {
                block = steps.getLast().output;
            } else if (line.startsWith("```")) {
                block = null;
            } else if (block != null && !block.isEmpty() && block.getLast().endsWith("\\")) {
                block.set(block.size() - 1, block.getLast().substring(0, block.getLast().length() - 1) + line.strip());
            } else if (block != null && !line.isBlank()) {
                block.add(line);
            }
        }
        return steps;
    }
}
