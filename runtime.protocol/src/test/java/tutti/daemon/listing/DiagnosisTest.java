package tutti.daemon.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tutti.daemon.health.NodeHealth;

class DiagnosisTest {
    private static final long GIB = 1L << 30;

    private static NodeHealth node(final String name, final String version, final long maxFiles, final long shared, final long clock,
        final boolean resolves, final Map<String, String> unreachable) {
        return new NodeHealth(name, version, "25.0.3", 2, GIB, 8 * GIB, 60, maxFiles, shared, "/var/lib/tutti", 10 * GIB, clock, "host-" + name,
            resolves,
            unreachable);
    }

    private static NodeHealth healthy(final String name) {
        return node(name, "0.1.0", 65_536, GIB, 1_000_000, true, Map.of());
    }

    private static List<String> lines(final Diagnosis diagnosis) {
        return diagnosis.findings().stream().map(Diagnosis.Finding::toString).toList();
    }

    @Test
    void shouldSayWhatAHealthyNodeHas() {
        final Diagnosis found = new Diagnosis(List.of(healthy("a")), Set.of(), Map.of(), 1_000_000, 1_000_050);
        assertEquals(List.of("ok       node a: Tutti 0.1.0, Java 25.0.3, 2 cores, 1024 MiB of heap, 60 of 65536 files open"), lines(found));
        assertFalse(found.isIll());
    }

    @Test
    void shouldNameNodesThatDoNotAnswerOrCannotBeReached() {
        final Diagnosis found = new Diagnosis(List.of(node("a", "0.1.0", 65_536, GIB, 1_000_000, true, Map.of("b", "10.0.0.2:7001: timed out"))),
            Set.of("c"), Map.of(), 1_000_000, 1_000_050);
        assertEquals(List.of("error    node c: does not answer; look whether its process runs and its machine can be reached",
            "error    node a: cannot connect to node b at 10.0.0.2:7001: timed out; open the port between the hosts, or give the address at which "
                + "others reach node b with --advertise"),
            lines(found));
        assertTrue(found.isIll());
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
            "warning  this machine: its host name host-a is 127.0.1.1, at which no other host reaches it; correct /etc/hosts or DNS; or start nodes "
                + "with --listen ADDRESS:PORT of the network, or with --advertise",
            "warning  cluster: no node was asked; start one"),
            machine(node("a", "0.1.0", 1024, GIB, 1_000_000, true, Map.of()), "127.0.1.1", 21));
    }

    @Test
    void shouldCompareVersions() {
        final Diagnosis found = new Diagnosis(List.of(healthy("a"), node("b", "0.2.0", 65_536, GIB, 1_000_000, true, Map.of())), Set.of(), Map.of(),
            1_000_000, 1_000_000);
        assertEquals("error    cluster: versions of Tutti differ: 0.1.0 on a; 0.2.0 on b; use the same release everywhere", lines(found).getFirst());
    }

    @Test
    void shouldWarnOfLimitsClocksAndNames() {
        final Diagnosis found = new Diagnosis(List.of(node("a", "0.1.0", 1024, 1 << 20, 1_090_000, false, Map.of())), Set.of(),
            Map.of("a", List.of("everybody may do everything")), 1_000_000, 1_000_050);
        assertEquals(List.of(
            "warning  node a: its clock differs from that of this machine by 89.95 s; synchronize clocks (NTP): certificates and listings "
                + "depend on them",
            "warning  node a: may open only 1024 files and sockets; raise the limit: ulimit -n 65536, or LimitNOFILE= of systemd",
            "warning  node a: free space in /dev/shm is low: 1 MiB, wanted 16 MiB; enlarge it: mount -o remount,size=64m /dev/shm",
            "warning  node a: its host name has no address: host-a; add it to /etc/hosts or DNS",
            "warning  node a: everybody may do everything; make a secret with: tutti secure init"), lines(found));
        assertFalse(found.isIll());
    }
}
