package tutti.itest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a README tells people to type. */
final class Readme {
    private Readme() { }

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
