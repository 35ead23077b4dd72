import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.asciidoctor.Asciidoctor;
import org.asciidoctor.Attributes;
import org.asciidoctor.Options;
import org.asciidoctor.SafeMode;
import org.asciidoctor.log.LogRecord;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.codegen.docgen.manpage.ManPageGenerator;
import tutti.cli.Main;

/**
 * Writes what shells and {@code man} know of the {@code tutti} command: the completion of bash, and a manual page of the command and of each of its
 * commands, both from picocli's model. The build of the distribution calls it with {@code cnf/command-pages}, which finds JDK 25.
 *
 * <p>Usage: {@code java -cp JARS cnf/CommandPages.java SHARE}, where SHARE is a folder.
 */
public final class CommandPages {
    /** The same pages from the same sources: asciidoctor takes the time of the build otherwise. */
    private static final String DATE = "2026-01-01";

    private CommandPages() {
    }

    public static void main(final String[] args) throws IOException {
        final Path share = Path.of(args[0]);
        final CommandLine line = Main.commandLine();
        final Path completion = Files.createDirectories(share.resolve("bash-completion/completions")).resolve(line.getCommandName());
        Files.writeString(completion, AutoComplete.bash(line.getCommandName(), line));

        final Path manual = Files.createDirectories(share.resolve("man/man1"));
        final List<CommandLine> commands = new ArrayList<>(line.getSubcommands().values());
        commands.addFirst(line);
        final List<LogRecord> problems = new ArrayList<>();
        try (Asciidoctor converter = Asciidoctor.Factory.create()) {
            converter.registerLogHandler(problems::add);
            for (final CommandLine command : commands) {
                final StringWriter page = new StringWriter();
                ManPageGenerator.writeSingleManPage(new PrintWriter(page, true), command.getCommandSpec());
                converter.convert(page.toString(), Options.builder().backend("manpage").safe(SafeMode.UNSAFE).standalone(true)
                    .attributes(Attributes.builder().attribute("docdate", DATE).build())
                    .toFile(manual.resolve(command.getCommandSpec().qualifiedName("-") + ".1").toFile()).build());
            }
        }
        if (!problems.isEmpty()) {
            problems.forEach(p -> System.err.println(p.getSeverity() + ": " + p.getMessage()));
            System.exit(1);
        }
    }
}
