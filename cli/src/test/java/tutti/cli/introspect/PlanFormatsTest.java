package tutti.cli.introspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.daemon.protocol.MessageCodec;
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
        return new PlannedTask(id, kind, from, into, from == null && into == null ? 0 : 16, peer, number, 4, 0, null, null, List.of(after));
    }

    private static RankPlan plan(final int rank, final int size, final PlannedTask... tasks) {
        return new RankPlan("allreduce", "basic 0.1.0", "a<b>&\"c\"", size, 16, -1, "DOUBLE SUM", -1, rank, rank == 0 ? 80 : 0, tasks.length,
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
                new PlannedTask(4, Kind.GET, SPARE, DATA, 16, 0, 0, 9, 0, "WORLD/node", null, List.of(3))));
    }

    private static List<RankPlan> ring(final int ranks) {
        final List<RankPlan> plans = new ArrayList<>();
        for (int r = 0; r < ranks; r++) {
            final List<PlannedTask> tasks = new ArrayList<>();
            for (int s = 0; s < ranks - 1; s++) {
                tasks.add(task(2 * s, Kind.SEND, DATA, null, (r + 1) % ranks, s, s == 0 ? new Integer[0] : new Integer[] {2 * s - 1}));
                tasks.add(task(2 * s + 1, Kind.RECV, null, DATA, (r + ranks - 1) % ranks, s));
            }
            plans.add(plan(r, ranks, tasks.toArray(PlannedTask[]::new)));
        }
        return plans;
    }

    private static Document parsed(final String svg) throws Exception {
        final DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    private static long attribute(final Element e, final String name) {
        return Long.parseLong(e.getAttribute(name));
    }

    @Test
    void shouldNameTheWorkerOfATask() {
        final PlannedTask copy = new PlannedTask(0, Kind.COPY, Buffer.SEND.at(0, 16), DATA, 16, -1, 0, 4, 0, null, "Engine", List.of());
        assertEquals("send[0..16) to recv[0..16)  by Engine", PlanText.details(copy));
    }

    @Test
    void shouldPrintALinePerTask() {
        assertEquals("""
            allreduce, 16 bytes of DOUBLE SUM, 2 ranks: basic 0.1.0, algorithm a<b>&"c"
            rank 0: 6 tasks, scratch 80 bytes
               0  recv    scratch[64..80) from 1
               1  copy    send[0..16) to recv[0..16)
               2  reduce  scratch[64..80) into recv[0..16)  after 0 1
               3  send    recv[0..16) to 1                  after 2
               4  post    #0                                after 2
               5  fence                                     after 3 4
            rank 1: 5 tasks
               0  send    send[0..16) to 0
               1  recv    recv[0..16) from 0
               2  await   #0 of 0
               3  reduce  scratch[64..80) of 0 into recv[0..16)                 after 2 1
               4  get     scratch[64..80) of 0 into recv[0..16)  in WORLD/node  after 3
            """, PlanText.of(pair()));
    }

    @Test
    void shouldPrintTheNumberOfOmittedTasks() {
        final RankPlan p = pair().get(1);
        assertEquals("      and 3 more tasks: use --rank R, or fewer ranks with -n", PlanText.of(List.of(new RankPlan(p.operation(), p.module(),
            p.algorithm(), 2, 16, 8, "", 1, 1, 0, 5, p.tasks().subList(0, 2)))).lines().toList().getLast());
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
        assertTrue(PlanSvg.of(stuck).contains("</svg>"));
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
    void shouldDrawValidXmlWithATitleABoxPerTaskAndAnArrowPerMessage() throws Exception {
        final Document svg = parsed(PlanSvg.of(pair()));
        assertEquals("svg", svg.getDocumentElement().getLocalName());
        assertEquals("http://www.w3.org/2000/svg", svg.getDocumentElement().getNamespaceURI());
        assertEquals("allreduce, 16 bytes of DOUBLE SUM, 2 ranks: basic 0.1.0, algorithm a<b>&\"c\"",
            svg.getElementsByTagName("title").item(0).getTextContent());
        assertEquals(11, svg.getElementsByTagName("g").getLength());
        assertEquals(3, svg.getElementsByTagName("line").getLength());
        assertEquals("rank 1, task 4: get scratch[64..80) of 0 into recv[0..16)  in WORLD/node",
            ((Element) svg.getElementsByTagName("g").item(10)).getElementsByTagName("title").item(0).getTextContent());
    }

    @Test
    void shouldKeepBoxesSeparateAndWithinTheDrawingForManyRanks() throws Exception {
        final Element svg = parsed(PlanSvg.of(ring(16))).getDocumentElement();
        final NodeList tasks = svg.getElementsByTagName("g");
        assertEquals(16 * 30, tasks.getLength());
        final List<long[]> boxes = new ArrayList<>();
        for (int i = 0; i < tasks.getLength(); i++) {
            final Element box = (Element) ((Element) tasks.item(i)).getElementsByTagName("rect").item(0);
            boxes.add(new long[] {attribute(box, "x"), attribute(box, "y"), attribute(box, "width"), attribute(box, "height")});
        }
        for (final long[] a : boxes) {
            assertTrue(a[0] >= 0 && a[0] + a[2] <= attribute(svg, "width") && a[1] >= 0 && a[1] + a[3] <= attribute(svg, "height"));
            assertEquals(1, boxes.stream().filter(b -> b[0] < a[0] + a[2] && a[0] < b[0] + b[2] && b[1] < a[1] + a[3] && a[1] < b[1] + b[3]).count());
        }
        final NodeList arrows = svg.getElementsByTagName("line");
        assertEquals(16 * 15, arrows.getLength());
        for (int i = 0; i < arrows.getLength(); i++) {
            assertTrue(attribute((Element) arrows.item(i), "x1") < attribute((Element) arrows.item(i), "x2"), "messages go forward in time");
        }
    }

    @Test
    void shouldRoundTripThroughJson() throws Exception {
        assertEquals(pair(), List.of(MessageCodec.read(MessageCodec.write(pair()), RankPlan[].class)));
    }
}
