package tutti.daemon.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Version;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeLoad;
import tutti.daemon.node.NodeReport;
import tutti.daemon.node.ProofCounts;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;

class ClusterListingTest {
    private static final String DIGEST = "0123456789abcdef".repeat(4);

    private static ModuleId module(final String name, final String version, final String digest) {
        return new ModuleId(name, Version.parseVersion(version), digest);
    }

    private static NodeReport node(final String name, final List<JobInfo> jobs, final ModuleId... modules) {
        return new NodeReport(new NodeInfo(name, "1", "127.0.0.1", 7001, 42, "25", 2, System.currentTimeMillis() - 3_600_000), 3,
            new Catalogue(1, List.of(modules)), List.of("tcp", "uds"), Map.of("uds", "host"), jobs,
            new NodeLoad("0.1.0", 20L << 20, 3L << 30, new CacheStatistics(70, 3, 1, 2, 512),
                new ProofCounts(6, 1, 12_345, Map.of("too large", 2L)), new MessageStatistics(8, 20_480, 4, 1024)),
            List.of());
    }

    @Test
    void shouldListTheNodesThatHaveAModuleAndThoseThatDoNot() {
        final List<NodeReport> reports = List.of(node("a", List.of(), module("ring", "1.0.0", DIGEST), module("basic", "0.1.0", "")),
            node("b", List.of(), module("basic", "0.1.0", "")));
        assertEquals("""
            NAME   VERSION  SHA-256       NODES  MISSING ON
            basic  0.1.0    ?             a,b    -
            ring   1.0.0    0123456789ab  a      b
            """, ClusterListing.modules(reports));
        assertEquals(List.of("basic", "ring"), ModuleRow.of(reports).stream().map(ModuleRow::name).toList());
    }

    @Test
    void shouldListTheModulesOfAJobOnAllNodesAndWhyOthersAreExcluded() {
        assertEquals("""
            basic 0.2.0
              not basic 0.1.0: version 0.2.0 is higher
              not ring 1.0.0: missing on node b
            """, ClusterListing.agreement(List.of(
            node("a", List.of(), module("basic", "0.1.0", DIGEST), module("basic", "0.2.0", DIGEST), module("ring", "1.0.0", DIGEST)),
            node("b", List.of(), module("basic", "0.1.0", DIGEST), module("basic", "0.2.0", DIGEST)))));
        assertEquals("no module\n", ClusterListing.agreement(List.of(node("a", List.of()))));
    }

    @Test
    void shouldListJobsThatHaveEndedInOneLineEach() {
        final JobRecord job = new JobRecord("a-1", "Pi.java", 4, List.of("a", "b"), "me", "a", 1_000, null);
        final List<String> lines = ClusterListing.history(List.of(job.ended(new JobRecord.End(2_234, 0, "")),
            job.ended(new JobRecord.End(3_601_000, 1, "rank 1 on node b failed: boom\nat Pi.main")),
            job.ended(new JobRecord.End(0, 3, "node a ended")),
            new JobRecord("a-2", "Pi.java", 4, List.of(), "me", "a", System.currentTimeMillis(), null))).lines().toList();
        assertEquals("JOB  STATUS   RANKS  NODES  BEGIN                TIME       PROGRAM  BY  REASON", lines.getFirst());
        assertTrue(lines.get(1).matches("a-1  0        4      a,b    (19\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:01)  1.234 s    Pi.java  me"),
            lines.get(1));
        assertTrue(lines.get(2).endsWith("1 h 0 min  Pi.java  me  rank 1 on node b failed: boom"), lines.get(2));
        assertTrue(lines.get(3).endsWith("?          Pi.java  me  node a ended"), lines.get(3));
        assertTrue(lines.get(4).matches("a-2  running  4      -      .*  Pi.java  me"), lines.get(4));
    }

    @Test
    void shouldListNodesAndTheJobsThatTheyCoordinate() {
        final List<NodeReport> reports = List.of(node("a", List.of(new JobInfo("a-1", "running", 4, List.of("a", "b"), List.of("basic 0.1.0"),
            2, "ring 2.0.0", "Pi.java", System.currentTimeMillis() - 61_000, "me", "a"),
            new JobInfo("a-2", "running", 20, List.of("a"), List.of(), 0, "", "Pi.java", System.currentTimeMillis(), "me", "a",
                List.of(1, 2, 3, 4, 5, 6, 7, 8, 19), Map.of(3, 20, 1, 21)))),
            node("b", List.of()));
        assertEquals(List.of("NAME  ADDRESS         PID  JAVA  CORES  RANKS  UP", "a     127.0.0.1:7001  42   25    2      3      1 h 0 min",
            "b     127.0.0.1:7001  42   25    2      3      1 h 0 min"), ClusterListing.nodes(reports).lines().toList());
        assertEquals(3, ClusterListing.jobs(reports).lines().count());
        assertEquals("""
            a  tutti 0.1.0, Java 25, 2 cores, up 1 h 0 min
              heap       20 MiB of 3072 MiB
              jobs       2, with 3 ranks here
              modules    none
              transports tcp, uds (with b)
              schedules  70 hits, 3 plans, 1 evictions, 2 cached, scratch 512 B
              proofs     6 calls in 12 ms, 1 wrong; not proved: 2 too large
              messages   8 received, 20 KiB; 4 sent to other nodes, 1024 B
            b  tutti 0.1.0, Java 25, 2 cores, up 1 h 0 min
              heap       20 MiB of 3072 MiB
              jobs       1, with 3 ranks here
              modules    none
              transports tcp, uds (with a)
              schedules  70 hits, 3 plans, 1 evictions, 2 cached, scratch 512 B
              proofs     6 calls in 12 ms, 1 wrong; not proved: 2 too large
              messages   8 received, 20 KiB; 4 sent to other nodes, 1024 B
            """, ClusterListing.info(NodeInfoRow.of(reports)));
        assertTrue(
            ClusterListing.jobs(reports).replaceAll(" +", " ").contains("\na-1 running 4 a,b basic 0.1.0; changes: 2; tries ring 2.0.0 Pi.java "
                + "1 min 1 s me a\na-2 running 20, failed: 1, 2, 3, 4, 5, 6, 7, 8 and 1 more, replaced: 1 by 21, 3 by 20 a Pi.java "),
            ClusterListing.jobs(reports));
    }
}
