package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every command of the README, in its order; the port of the daemons is replaced by a free one. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ReadmeIT {
    private static final String PORT = "127.0.0.1:7001";
    private static final String SCRIPT = "./tutti ";

    @Test
    void shouldHoldForEveryCommand() throws Exception {
        final List<Cli.Daemon> daemons = new ArrayList<>();
        int run = 0;
        try {
            for (final String command : Readme.commands(Home.DIR.resolve("README.md"))) {
                if (command.startsWith("mvn ")) {
                    // what runs this test
                    assertTrue(Files.readString(Home.DIR.resolve(".ci/run")).contains(command.substring("mvn ".length())));
                    continue;
                }
                assertTrue(command.startsWith(SCRIPT), command);
                final String free = daemons.isEmpty() ? "127.0.0.1:0" : daemons.getFirst().address;
                final String[] args = command.substring(SCRIPT.length()).replace(PORT, free).split(" ");
                run++;
                if (args[0].equals("daemon")) {
                    daemons.add(new Cli.Daemon(Home.DIR, List.of(args).subList(1, args.length).toArray(String[]::new)));
                } else {
                    final Cli.Result r = Cli.run(Home.DIR, args);
                    assertEquals(0, r.status(), () -> command + "\n" + r);
                }
            }
            assertTrue(run > 8, "commands run: " + run);
            for (final Cli.Daemon d : daemons) {
                assertTrue(d.process.waitFor(15, TimeUnit.SECONDS), "the README's last command stops the daemons");
                assertEquals(0, d.process.exitValue());
            }
        } finally {
            daemons.forEach(Cli.Daemon::close);
        }
    }
}
