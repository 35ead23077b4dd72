package tutti.daemon.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tutti.daemon.health.ClusterHealth;
import tutti.daemon.health.LinkQuality;
import tutti.daemon.health.NodeHealth;

class DiagnosisTest {
    private static final long GIB = 1L << 30;

    private static NodeHealth node(final String name, final String version, final long maxFiles, final long shared, final long clock,
        final boolean resolves, final Map<String, String> unreachable) {
        return new NodeHealth(name, version, "25.0.3", 2, GIB, 8 * GIB, 60, maxFiles, maxFiles, shared, "/var/lib/tutti", 10 * GIB, clock,
            "host-" + name,
            resolves, unreachable, null);
    }

    private static NodeHealth healthy(final String name) {
        return node(name, "0.1.0", 65_536, GIB, 1_000_000, true, Map.of());
    }

    private static Diagnosis diagnosis(final List<NodeHealth> nodes, final List<String> silent, final Map<String, List<String>> warnings,
        final long from, final long to) {
        return new Diagnosis(new ClusterHealth(nodes, silent, Map.of()), warnings, from, to);
    }

    private static List<String> lines(final Diagnosis diagnosis) {
        return diagnosis.findings().stream().map(Diagnosis.Finding::toString).toList();
    }

    @Test
    void shouldSayWhatAHealthyNodeHas() {
        final Diagnosis found = diagnosis(List.of(healthy("a")), List.of(), Map.of(), 1_000_000, 1_000_050);
        assertEquals(List.of("ok       node a: Tutti 0.1.0, Java 25.0.3, 2 cores, 1024 MiB of heap, 60 of 65536 files open"), lines(found));
        assertFalse(found.isIll());
    }

    @Test
    void shouldNameNodesThatDoNotAnswerOrCannotBeReached() {
        final Diagnosis found = diagnosis(List.of(node("a", "0.1.0", 65_536, GIB, 1_000_000, true, Map.of("b", "10.0.0.2:7001: timed out"))),
            List.of("c"), Map.of(), 1_000_000, 1_000_050);
        assertEquals(List.of("error    node c: does not answer; look whether its process runs and its machine can be reached",
            "error    node a: cannot connect to node b at 10.0.0.2:7001: timed out; open the port between the hosts, or set tutti.node.advertise "
                + "of node b to the address at which others reach it"),
            lines(found));
        assertTrue(found.isIll());
    }

    @Test
    void shouldNameTheSlowestLinkBetweenMachines() {
        final Diagnosis found = diagnosis(List.of(healthy("a").with(new LinkQuality("b", 90, 1_100_000_000)),
            healthy("b").with(new LinkQuality("c", 210, 117_000_000)), healthy("c").with(LinkQuality.onOneMachine("d"))), List.of(), Map.of(),
            1_000_000, 1_000_050);
        assertEquals("ok       network: slowest link: node b to node c, 117 MB/s, 210 us there and back: coll.link=slow", lines(found).getLast());
    }

    private static List<String> machine(final NodeHealth health, final String address, final int java) throws Exception {
        return lines(Diagnosis.ofMachine(health, List.of(InetAddress.getByName(address)), java, List.of(
            new Diagnosis.Finding(Diagnosis.Grade.WARNING, "cluster", "no node was asked", "start one"))));
    }

    @Test
    void shouldExamineAMachineWithoutACluster() throws Exception {
        assertEquals(List.of("ok       this machine: Tutti 0.1.0, Java 25.0.3, 2 cores, 8192 MiB of memory available, 65536 files may be open, "
            + "10240 MiB free in /var/lib/tutti, host name host-a is 10.0.0.1", "warning  cluster: no node was asked; start one"),
            machine(healthy("a"), "10.0.0.1", 25));
        assertEquals(List.of("error    this machine: has Java 25.0.3; install JDK 25, and set TUTTI_JAVA_HOME to its folder",
            "warning  this machine: may open only 1024 files and sockets; raise the limit: ulimit -n 65536, or LimitNOFILE= of systemd",
            "warning  this machine: may start only 1024 processes and threads, of which each rank is one; raise the limit: ulimit -u 65536, or "
                + "LimitNPROC= and TasksMax= of systemd",
            "warning  this machine: its host name host-a is 127.0.1.1, at which no other host reaches it; correct /etc/hosts or DNS, or start nodes "
                + "with --listen ADDRESS:PORT of the network",
            "warning  cluster: no node was asked; start one"),
            machine(node("a", "0.1.0", 1024, GIB, 1_000_000, true, Map.of()), "127.0.1.1", 21));
    }

    @Test
    void shouldNameNodesThatWereLost() {
        final Diagnosis found =
            new Diagnosis(new ClusterHealth(List.of(healthy("a")), List.of(), Map.of("b", "connection reset")), Map.of(), 1_000_000,
                1_000_050);
        assertEquals("warning  node b: was lost: connection reset; look at its log and its host, and start it again: it joins the others",
            lines(found).getFirst());
        assertFalse(found.isIll());
    }

    private static NodeHealth ill(final String name, final long openFiles, final long maxFiles, final long shared) {
        return new NodeHealth(name, "0.2.0", "24", 2, 1, 1, openFiles, maxFiles, 1000, shared, "/var/lib/tutti", 1, 0, "host-" + name, false,
            Map.of("b", "10.0.0.2:7001: timed out"), null);
    }

    private static Pattern pattern(final String text) {
        return Pattern.compile(Stream.of(text.split("\\.\\.\\.", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
    }

    @Test
    void shouldHaveEveryFindingOnThePageOfMessages() throws Exception {
        final List<Diagnosis.Finding> found = new ArrayList<>();
        found.addAll(new Diagnosis(new ClusterHealth(List.of(healthy("a"), ill("c", 10, 1000, -1), ill("d", 9_000, 10_000, 1)), List.of("e"),
            Map.of("f", "killed")), Map.of(), 1_000_000, 1_000_000).findings());
        found.addAll(Diagnosis.ofMachine(ill("", 10, 1000, 1), List.of(InetAddress.getLoopbackAddress()), 21, List.of()).findings());
        found.removeIf(f -> f.grade() == Diagnosis.Grade.OK);
        final Pattern row = Pattern.compile("\\| `(?<text>[^`]+)` \\| (?<grade>warning|error) \\| `(?<remedy>[^`]+)` \\|");
        final List<Matcher> rows = Files.readAllLines(Path.of("../docs/guide/messages.md")).stream().map(row::matcher).filter(Matcher::matches)
            .toList();
        final BiPredicate<Matcher, Diagnosis.Finding> isOf = (m, f) -> pattern(m.group("text")).matcher(f.text()).matches()
            && pattern(m.group("remedy")).matcher(f.remedy()).matches() && m.group("grade").equals(f.grade().name().toLowerCase(Locale.ROOT));
        assertEquals(List.of(), found.stream().filter(f -> rows.stream().noneMatch(m -> isOf.test(m, f))).toList());
        assertEquals(List.of(), rows.stream().filter(m -> found.stream().noneMatch(f -> isOf.test(m, f))).map(m -> m.group("text")).toList());
    }

    @Test
    void shouldCompareVersions() {
        final Diagnosis found = diagnosis(List.of(healthy("a"), node("b", "0.2.0", 65_536, GIB, 1_000_000, true, Map.of())), List.of(), Map.of(),
            1_000_000, 1_000_000);
        assertEquals("error    cluster: versions of Tutti differ: 0.1.0 on a; 0.2.0 on b; use the same release everywhere", lines(found).getFirst());
    }

    @Test
    void shouldWarnOfLimitsClocksAndNames() {
        final Diagnosis found = diagnosis(List.of(node("a", "0.1.0", 1024, 1 << 20, 1_090_000, false, Map.of())), List.of(),
            Map.of("a", List.of("everybody may do everything; make a secret", "it is full")), 1_000_000, 1_000_050);
        assertEquals(List.of(
            "warning  node a: its clock differs from that of this machine by 89.95 s; synchronize clocks (NTP): certificates and listings "
                + "depend on them",
            "warning  node a: may open only 1024 files and sockets; raise the limit: ulimit -n 65536, or LimitNOFILE= of systemd",
            "warning  node a: may start only 1024 processes and threads, of which each rank is one; raise the limit: ulimit -u 65536, or "
                + "LimitNPROC= and TasksMax= of systemd",
            "warning  node a: free space in /dev/shm is low: 1 MiB, wanted 16 MiB; enlarge it: mount -o remount,size=64m /dev/shm",
            "warning  node a: its host name has no address: host-a; add it to /etc/hosts or DNS",
            "warning  node a: everybody may do everything; make a secret", "warning  node a: it is full"), lines(found));
        assertFalse(found.isIll());
    }
}
