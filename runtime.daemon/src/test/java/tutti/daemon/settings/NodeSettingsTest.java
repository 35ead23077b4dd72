package tutti.daemon.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.PortRange;

/** Tests how settings are read from the values of a configuration and of framework properties. */
class NodeSettingsTest {
    private static final Path FOLDER = Path.of("/var/node");

    private static NodeSettings read(final Map<String, ?> values) {
        return NodeSettings.read(values::get, FOLDER);
    }

    @Test
    void shouldNeedAName() {
        assertNull(read(Map.of("tutti.node.listen", "127.0.0.1:0")));
        assertNull(read(Map.of("tutti.node.name", "  ")));
    }

    @Test
    void shouldHaveDefaultsForAllOthers() {
        assertEquals(
            new NodeSettings("a", new HostPort("127.0.0.1", 0), PortRange.ANY, null, List.of(), MembershipSettings.DEFAULT, FOLDER, null, List.of(),
                false,
                NodeLimits.DEFAULT,
                new JobJvmSettings(2, 100, null, null, 0, 0, 0), 1_000, 64 << 20, false, new NodeAccess(null, false, null), NodeSettings.Stop.NODE),
            read(Map.of("tutti.node.name", "a")));
    }

    @Test
    void shouldReadAllValues() {
        final Map<String, Object> values = new HashMap<>(Map.of("tutti.node.name", " a ", "tutti.node.listen", "0.0.0.0:7001", "tutti.node.advertise",
            "a.example", "tutti.node.join", "b.example:7002", "tutti.node.discovery", "dns:tutti.example", "tutti.node.silence", 9_000));
        values.putAll(Map.of("tutti.node.folder", "/srv/./tutti", "tutti.node.rules", "rules.json", "tutti.node.warmup", true, "tutti.node.ranks", 70,
            "tutti.node.onerun", true, "tutti.node.stop", "framework"));
        values.put("tutti.node.switches", "rack1, row2");
        values.putAll(Map.of("tutti.node.jobs", 90, "tutti.node.modules", 100, "tutti.node.connections", 110, "tutti.node.idle", 120,
            "tutti.node.messages", 130, "tutti.node.history", 140, "tutti.node.measurements", 150));
        values
            .putAll(Map.of("tutti.node.jvms", 3, "tutti.node.reuse", 4, "tutti.node.job.heap", "512m", "tutti.node.job.direct", "64M",
                "tutti.node.job.threads", 90,
                "tutti.node.job.files", 1_000, "tutti.node.job.cpu", 2));
        values.putAll(
            Map.of("tutti.node.ports", "7100-7109", "tutti.node.secret", "none", "tutti.node.insecure", true, "tutti.node.signers", "signers.pem"));
        assertEquals(
            new NodeSettings("a", new HostPort("0.0.0.0", 7001), new PortRange(7100, 7109), new HostPort("a.example", 0),
                List.of(new HostPort("b.example", 7002)),
                new MembershipSettings(MembershipSettings.Discovery.DNS, "tutti.example", 9_000), Path.of("/srv/tutti"), Path.of("rules.json"),
                List.of("rack1", "row2"), true,
                new NodeLimits(70, 90, 100, 110, 120, 130), new JobJvmSettings(3, 4, "512m", "64M", 90, 1_000, 2), 140, 150,
                true,
                new NodeAccess("none", true, Path.of("signers.pem")), NodeSettings.Stop.FRAMEWORK),
            read(values));
    }

    @Test
    void shouldRefuseSwitchesBesideATopologyFile(@TempDir final Path dir) throws IOException {
        final Path file = Files.writeString(dir.resolve("topology.conf"), "SwitchName=s Nodes=a,b");
        assertEquals(List.of("s"), read(Map.of("tutti.node.name", "a", "tutti.node.topology", file.toString())).switches());
        assertEquals("tutti.node.switches and tutti.node.topology are set: set one of them", assertThrows(IllegalArgumentException.class,
            () -> read(Map.of("tutti.node.name", "a", "tutti.node.topology", file.toString(), "tutti.node.switches", "s"))).getMessage());
    }

    @Test
    void shouldReadAddressesFromTextsArraysAndCollections() {
        final List<HostPort> two = List.of(new HostPort("b", 1), new HostPort("c", 2));
        for (final Object value : List.of("b:1, c:2", "b:1 c:2", new String[] {"b:1", "c:2"}, List.of("b:1", "c:2"))) {
            assertEquals(two, read(Map.of("tutti.node.name", "a", "tutti.node.join", value)).join());
        }
        assertEquals(List.of(), read(Map.of("tutti.node.name", "a", "tutti.node.join", "")).join());
    }

    @ParameterizedTest
    @CsvSource({"host, host, 0", "host:7, host, 7", "[::1], ::1, 0", "[::1]:7, ::1, 7"})
    void shouldAdvertiseAHostWithOrWithoutAPort(final String text, final String host, final int port) {
        assertEquals(new HostPort(host, port), read(Map.of("tutti.node.name", "a", "tutti.node.advertise", text)).advertise());
    }

    @ParameterizedTest
    @CsvSource({"name, a/b", "listen, 7001", "listen, a:x", "join, b", "advertise, a:70000", "discovery, smoke", "discovery, file", "silence, soon",
        "silence, 5", "ranks, 0", "ranks, 65537", "ranks, many", "stop, everything",
        "reuse, 0", "job.heap, much", "job.direct, -1", "job.threads, -1", "job.files, x", "job.cpu, 65537", "jvms, 65",
        "measurements, -1"})
    void shouldNameAValueThatIsNotValid(final String attribute, final String value) {
        final Exception e = assertThrows(IllegalArgumentException.class,
            () -> read(attribute.equals("name") ? Map.of("tutti.node.name", value)
                : Map.of("tutti.node.name", "a", "tutti.node." + attribute, value)));
        assertTrue(e.getMessage().startsWith("bad value: tutti.node." + attribute + "=" + value + ": "), e.getMessage());
        assertEquals(1, e.getMessage().lines().count());
    }
}
