package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** What the containers of a test leave behind on their hosts, which are all this machine: processes, found by a mark, and temporary files. */
final class LaunchTraces {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final String mark = "-Dtutti.test.mark=" + UUID.randomUUID();
    private final Path temporary;

    LaunchTraces(final Path folder) throws IOException {
        temporary = Files.createDirectory(folder.resolve("temporary"));
    }

    /** Returns the environment with which the command is started, so that its containers can be found. */
    Map<String, String> environment() {
        return Map.of("TUTTI_DAEMON_OPTS", TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS") + " " + mark + " -Djava.io.tmpdir=" + temporary);
    }

    /** Returns a word by which the processes of a command are found whose arguments contain it. */
    String mark() {
        return mark;
    }

    private List<String> processes() {
        return ProcessHandle.allProcesses().map(CommandLines::of).filter(c -> c.contains(mark)).toList();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.toList();
        }
    }

    /** Waits until so many containers run. */
    void awaitContainers(final int count) {
        await().atMost(LIMIT).until(() -> processes().stream().filter(c -> c.contains("--launched-by")).count() >= count);
    }

    /** Waits until nothing is left, and fails if something is. */
    void assertNothingLeft() throws IOException {
        try {
            await().atMost(LIMIT).until(() -> processes().isEmpty());
        } finally {
            assertEquals(List.of(), processes());
        }
        assertEquals(List.of(), files());
    }
}
