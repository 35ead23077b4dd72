package tutti.cli.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostListTest {
    @TempDir
    private Path dir;

    private List<HostSlots> read(final String text) throws IOException {
        return HostList.read(Files.writeString(dir.resolve("hosts"), text));
    }

    @Test
    void shouldKeepTheOrderOfHostsAndAddTheSlotsOfEqualOnes() {
        assertEquals(List.of(new HostSlots("b", 9), new HostSlots("a", 4), new HostSlots("c", 0)), HostList.parse("b:8,a:4,b,c:*,c"));
    }

    @Test
    void shouldNameNodesByHosts() {
        assertEquals(List.of("a.example.org", "10.0.0.1", "fe80--1"),
            HostList.parse("me@a.example.org,10.0.0.1:2,[fe80::1]:3").stream().map(HostSlots::nodeName).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a,,b", "a:0", "a:x", "a:100000", "-oProxyCommand=x", "a b", "fe80::1", "a;b"})
    void shouldRefuseWhatIsNoHost(final String text) {
        assertThrows(IllegalArgumentException.class, () -> HostList.parse(text));
    }

    @Test
    void shouldRefuseHostsWhoseNodesHadTheSameName() {
        assertEquals("two hosts have the same name: name=a",
            assertThrows(IllegalArgumentException.class, () -> HostList.parse("me@a,you@a")).getMessage());
    }

    @Test
    void shouldReadAHostFile() throws IOException {
        assertEquals(List.of(new HostSlots("a", 4), new HostSlots("b", 8), new HostSlots("c", 0)), read("""
            # two racks
            a slots=4

              b:8   # the large one
            c
            """));
    }

    @Test
    void shouldNameTheLineOfAHostFileThatIsWrong() {
        for (final String line : List.of("b slots=0", "b slots", "b:2 slots=2", "b max-slots=4", "b slots=2 x", "*")) {
            assertEquals(dir.resolve("hosts") + ":2: not a host: '" + line + "', expected HOST slots=N",
                assertThrows(IllegalArgumentException.class, () -> read("a\n" + line)).getMessage());
        }
        assertEquals(dir.resolve("hosts") + ": no host", assertThrows(IllegalArgumentException.class, () -> read("# none\n")).getMessage());
    }
}
