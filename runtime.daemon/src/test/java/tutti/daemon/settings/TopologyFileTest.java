package tutti.daemon.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopologyFileTest {
    @TempDir
    private Path dir;

    private Path file(final String text) throws IOException {
        return Files.writeString(dir.resolve("topology.conf"), text);
    }

    private static String refused(final Path file, final String node) {
        return assertThrows(IllegalArgumentException.class, () -> TopologyFile.switchesOf(file, node)).getMessage();
    }

    @Test
    void shouldReturnTheSwitchesFromTheNodeOutwards() throws IOException {
        final Path file = file("""
            # two racks
            SwitchName=rack1 Nodes=n[01-16,20],login LinkSpeed=100
            switchname=rack2 NODES=n[17-19],m[1-2]-ib
            SwitchName=row1 Switches=rack[1-2]   # of one row
            SwitchName=core \\
              Switches=row1
            """);
        for (final String node : List.of("n01", "n16", "n20", "login")) {
            assertEquals(List.of("rack1", "row1", "core"), TopologyFile.switchesOf(file, node), node);
        }
        for (final String node : List.of("n17", "n19", "m1-ib")) {
            assertEquals(List.of("rack2", "row1", "core"), TopologyFile.switchesOf(file, node), node);
        }
        for (final String node : List.of("n1", "n001", "n21", "n", "m3-ib", "m01-ib", "rack1")) {
            assertEquals("no switch of " + file + " has node " + node + " among its Nodes", refused(file, node));
        }
    }

    @Test
    void shouldReturnOneSwitchThatNoOtherOneConnects() throws IOException {
        assertEquals(List.of("s"), TopologyFile.switchesOf(file("SwitchName=s Nodes=a,b"), "b"));
    }

    @Test
    void shouldRefuseWhatIsNoTopology() throws IOException {
        assertEquals("line 2 of " + dir.resolve("topology.conf") + ": expected SwitchName=NAME Nodes=LIST or SwitchName=NAME Switches=LIST",
            refused(file("\nnodes: a"), "a"));
        assertEquals("line 1 of " + dir.resolve("topology.conf") + ": expected names such as n[01-16,20]: n[1-x]",
            refused(file("SwitchName=s Nodes=n[1-x]"), "a"));
        assertEquals("switch s of " + dir.resolve("topology.conf") + " is among its own Switches",
            refused(file("SwitchName=s Nodes=a Switches=t\nSwitchName=t Switches=s"), "a"));
        assertEquals("cannot be read: java.nio.file.NoSuchFileException: missing.conf", refused(Path.of("missing.conf"), "a"));
    }
}
