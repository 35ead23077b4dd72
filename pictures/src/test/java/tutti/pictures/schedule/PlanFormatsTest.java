package tutti.pictures.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.daemon.protocol.MessageCodec;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.PlannedTask.Kind;
import tutti.runtime.introspect.RankPlan;

/** Tests of plans as text, as a graph and as a drawing. */
class PlanFormatsTest {
    private static final BufferRange DATA = Buffer.RECV.at(0, 16);
    private static final BufferRange SPARE = Buffer.SCRATCH.at(64, 16);
    private static final Pattern STATEMENT = Pattern.compile("digraph plan \\{|}|  (label=\".*\"|labelloc=t|node \\[.*]);|  subgraph cluster_\\d+ \\{"
        + "|  }|    label=\"rank \\d+\";|    r\\d+t\\d+ \\[label=\"([^\"\\\\]|\\\\.)*\"];|    r(\\d+)t\\d+ -> r\\3t\\d+;"
        + "|  r\\d+t\\d+ -> r\\d+t\\d+ \\[style=dashed, color=blue];");

    private static PlannedTask task(final int id, final Kind kind, final BufferRange from, final BufferRange into, final int peer, final int number,
        final Integer... after) {
        return new PlannedTask(id, kind, from, into, from == null && into == null ? 0 : 16, peer, number, 4, 0, null, List.of(after));
    }

    /** The copy of rank 0 and the get of rank 1. */
    private static final List<PlannedPart> PARTS = List.of(
        new PlannedPart(1, 1, "reduce", "WORLD/smp.node.0", 16, "smp 1.0.0", "shared", "priority 70"),
        new PlannedPart(4, 4, "reduce", "WORLD/smp.node.1", 16, "smp 1.0.0", "shared", "priority 70"));

    private static RankPlan plan(final int rank, final int size, final PlannedTask... tasks) {
        return new RankPlan("allreduce", "basic 0.1.0", "a<b>&\"c\"", "rule 1 of \"t\"", size, 16, -1, "DOUBLE SUM", -1, rank, "n" + rank * 2 / size,
            rank == 0 ? 80 : 0,
            tasks.length < 5 ? List.of() : List.of(PARTS.get(rank)), tasks.length,
            List.of(tasks));
    }

    /** Returns plans in which rank 1 sends, rank 0 combines and sends back, then rank 0 posts and rank 1 reads its memory. */
    private static List<RankPlan> pair() {
        return List.of(
            plan(0, 2, task(0, Kind.RECV, null, SPARE, 1, 0), task(1, Kind.COPY, Buffer.SEND.at(0, 16), DATA, -1, 0),
                task(2, Kind.REDUCE, SPARE, DATA, -1, 0, 0, 1), task(3, Kind.SEND, DATA, null, 1, 0, 2), task(4, Kind.POST, null, null, -1, 0, 2),
                task(5, Kind.FENCE, null, null, -1, 0, 3, 4)),
            plan(1, 2, task(0, Kind.SEND, Buffer.SEND.at(0, 16), null, 0, 0), task(1, Kind.RECV, null, DATA, 0, 0),
                task(2, Kind.AWAIT, null, null, 0, 0), task(3, Kind.REDUCE, SPARE, DATA, 0, 0, 2, 1),
                new PlannedTask(4, Kind.GET, SPARE, DATA, 16, 0, 0, 9, 0, null, List.of(3))));
    }

    @Test
    void shouldNameTheWorkerOfATask() {
        final PlannedTask copy = new PlannedTask(0, Kind.COPY, Buffer.SEND.at(0, 16), DATA, 16, -1, 0, 4, 0,
            new PlannedTask.ByModule("Engine", null, List.of(), List.of()), List.of());
        assertEquals("send[0..16) to recv[0..16)  by Engine", PlanText.details(plan(0, 1, copy), copy));
    }

    @Test
    void shouldPrintOpaqueTasksAndOffloadedCollectivesWithTheirNames() {
        final PlannedTask opaque = new PlannedTask(1, Kind.OPAQUE, null, null, 32, -1, 0, 4, 0,
            new PlannedTask.ByModule("Checksums", null, List.of(DATA, SPARE), List.of(SPARE.slice(0, 4))), List.of(0));
        final PlannedTask offloaded = new PlannedTask(0, Kind.OFFLOADED, Buffer.SEND.at(0, 16), DATA, 16, -1, 0, 4, 0,
            new PlannedTask.ByModule("Switch", "allreduce", List.of(), List.of()), List.of());
        final String text = PlanText.of(List.of(plan(0, 1, offloaded, opaque)));
        assertTrue(text.contains("   0  offloaded  allreduce by Switch, send[0..16) to recv[0..16)"), text);
        assertTrue(text.contains("   1  opaque  Checksums, reads recv[0..16) scratch[64..80), writes scratch[64..68)"), text);
        assertEquals("offloaded allreduce by Switch", PlanText.label(offloaded));
        final PlannedTask inPlace = new PlannedTask(0, Kind.OFFLOADED, null, DATA, 16, -1, 0, 4, 0,
            new PlannedTask.ByModule("Switch", "bcast", List.of(), List.of()), List.of());
        assertEquals("bcast by Switch, in recv[0..16)", PlanText.details(plan(0, 1, inPlace), inPlace));
        assertTrue(PlanPicture.of(List.of(plan(0, 1, offloaded, opaque))).svg().contains("offloaded allreduce by Switch"));
    }

    @Test
    void shouldPrintALinePerTask() {
        assertEquals("""
            allreduce, 16 bytes of DOUBLE SUM, 2 ranks: basic 0.1.0, algorithm a<b>&"c" (rule 1 of "t")
              reduce, 16 bytes, on WORLD/smp.node.0 (rank 0), WORLD/smp.node.1 (rank 1): smp 1.0.0, algorithm shared (priority 70)
            rank 0: 6 tasks, scratch 80 bytes
               0  recv    scratch[64..80) from 1
               1  copy    send[0..16) to recv[0..16)  in reduce on WORLD/smp.node.0
               2  reduce  scratch[64..80) into recv[0..16)                           after 0 1
               3  send    recv[0..16) to 1                                           after 2
               4  post    #0                                                         after 2
               5  fence                                                              after 3 4
            rank 1: 5 tasks
               0  send    send[0..16) to 0
               1  recv    recv[0..16) from 0
               2  await   #0 of 0
               3  reduce  scratch[64..80) of 0 into recv[0..16)                                 after 2 1
               4  get     scratch[64..80) of 0 into recv[0..16)  in reduce on WORLD/smp.node.1  after 3
            """, PlanText.of(pair()));
    }

    @Test
    void shouldPrintTheNumberOfOmittedTasks() {
        final RankPlan p = pair().get(1);
        assertEquals("      and 3 more tasks: use --rank R, or fewer ranks with -n", PlanText.of(List.of(new RankPlan(p.operation(), p.module(),
            p.algorithm(), p.reason(), 2, 16, 8, "", 1, 1, "n1", 0, List.of(), 5, p.tasks().subList(0, 2)))).lines().toList().getLast());
    }

    @Test
    void shouldFindTheEarliestStepOfEachTaskOverMessagesAndPosts() {
        final PlanGraph graph = new PlanGraph(pair());
        // the fence takes no step
        assertEquals(List.of(1, 0, 2, 3, 3, 3, 0, 4, 4, 5, 6), graph.nodes().stream().map(PlanGraph.Node::step).toList());
        assertEquals(3, graph.arrows().size());
        assertEquals(7, graph.steps());
    }

    @Test
    void shouldTerminateForCyclicDependencies() {
        final List<RankPlan> stuck = IntStream.range(0, 2).mapToObj(r -> plan(r, 2, task(0, Kind.RECV, null, DATA, 1 - r, 0),
            task(1, Kind.SEND, DATA, null, 1 - r, 0, 0))).toList();
        assertTrue(new PlanGraph(stuck).steps() > 0);
        assertTrue(PlanPicture.of(stuck).svg().contains("</svg>"));
    }

    @Test
    void shouldDrawAGraphThatGraphvizCanRead() {
        final String dot = PlanDot.of(pair());
        dot.lines().forEach(l -> assertTrue(STATEMENT.matcher(l).matches(), l));
        assertEquals(11, dot.lines().filter(l -> l.contains("[label=")).count());
        assertEquals(3, dot.lines().filter(l -> l.contains("dashed")).count());
        assertTrue(dot.contains("  r1t0 -> r0t0 [style=dashed, color=blue];\n"), dot);
        assertTrue(dot.contains("    r0t2 -> r0t4;\n"), dot);
        assertTrue(dot.contains("algorithm a<b>&\\\"c\\\""), dot);
        assertEquals(dot.chars().filter(c -> c == '{').count(), dot.chars().filter(c -> c == '}').count());
    }

    @Test
    void shouldRoundTripThroughJson() throws Exception {
        assertEquals(pair(), List.of(MessageCodec.read(MessageCodec.write(pair()), RankPlan[].class)));
    }
}
