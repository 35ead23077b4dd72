package tutti.daemon.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Version;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeLoad;
import tutti.daemon.node.NodeReport;
import tutti.daemon.node.ProofCounts;
import tutti.runtime.inspect.CommCalls;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.inspect.RankState;
import tutti.runtime.inspect.UnreceivedMessage;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.process.owner.RankOutcome;

/** Tests of messages as bytes and back, and of invalid bytes. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MessageCodecTest {
    private static final NodeInfo NODE = new NodeInfo("a.b-c_9", "cafe", "::1", 65_535, Long.MAX_VALUE, "25.0.3", 128, -1);
    private static final NodeReport REPORT =
        new NodeReport(NODE, 7, new Catalogue(3, List.of(new ModuleId("basic", new Version(1, 0, 0), ""))), List.of("tcp", "uds"),
            List.of(new JobInfo("a-1-beef", "running", 4, List.of("a", "b"), List.of("basic 1.0.0"), "Pi.java", 1, "me@here", "a")),
            new NodeLoad("0.1.0", Long.MAX_VALUE, 0, new CacheStatistics(1, 2, 3, 4, 5), new ProofCounts(6, 1, 9, Map.of("too large", 2L)),
                new MessageStatistics(1, 2, 3, Long.MAX_VALUE)),
            List.of("a warning"));
    private static final ProgramFile FILE = new ProgramFile("app.jar", Protocol.MAX_PROGRAM, "0".repeat(64));

    private static final RuleTable RULES = new RuleTable("a \"table\"", List.of(new SelectionRule("allreduce", new LongRange(2, 8), LongRange.ALL,
        new LongRange(2, Long.MAX_VALUE), new LongRange(0, 1 << 16), true, false,
        List.of(AlgorithmRef.of("smp/direct:segment=16K,small=1"), new AlgorithmRef("basic", null))),
        new SelectionRule(null, null, null, null, null, null, null, List.of(new AlgorithmRef("ring", null)))));

    private static final Message.OfferedModules OFFERED = new Message.OfferedModules(REPORT.catalogue(), List.of("file:/srv/basic.jar"),
        REPORT.catalogue().modules());

    /** Returns at least one message of each kind, with the values that are easiest to get wrong. */
    static Stream<Message> messages() {
        return Stream.of(
            new Message.Run(Protocol.MAX_RANKS, Message.Mapping.NODE, List.of("b", "a"), "a.Main",
                List.of("", "two words", "\u00e9\u20ac\ud83d\ude00\"\\\n\u0000"), List.of(FILE),
                Map.of("coll.tree.k", "2"), RULES, Long.MAX_VALUE, "Pi.java", "me@here", Map.of("A", "x=\u20ac", "B", ""), true, true, null),
            new Message.Run(0, Message.Mapping.BLOCK, List.of(), "M", List.of(), List.of(), Map.of(), null, 0, "", "", Map.of(), false, false, null),
            new Message.Placed(List.of("b", "a"), List.of(0, 0, 1)),
            new Message.CancelRun(),
            new Message.Accepted("a-1-beef"),
            new Message.Done(124, "two\nlines"),
            new Message.Prepare("a-1-beef", new byte[] {0, -1, 127, -128}, "tcp", List.of("a", "b"), List.of(1, 0, 1), 1,
                List.of(new JobProgram("Main", List.of("x"), 3)), List.of(FILE, new ProgramFile("grid data.txt", 0, "1".repeat(64), true)), "tutti|1",
                Map.of("A", "x"), null, "user eve", "b-2-00ff"),
            new Message.Prepared(REPORT.catalogue(), List.of("tcp", "uds"), new HostPort("h", 1)),
            new Message.Prepared(REPORT.catalogue(), List.of("tcp"), null),
            new Message.Prepared(REPORT.catalogue(), List.of("tcp"), new HostPort("h", 1), new HostPort("::1", 2)),
            new Message.Connect(new AgreedModules(REPORT.catalogue().modules(), List.of(new ExcludedModule("ring 1.1.0", "missing on node c")),
                Map.of("coll.ring.segment", "65536"), Set.of("coll.ring.segment"), RULES,
                List.of("a", "b"), List.of(new AgreedModules.Held(REPORT.catalogue().modules().getFirst(), List.of(0, 1)))),
                List.of(new NodeAddress("a", "h", 1), new NodeAddress("b", "::1", 2)), List.of(new NodeAddress("a", "h", 3))),
            new Message.Order(Message.Verb.CANCEL, "because"),
            new Message.Progress(Message.Phase.FAILED, 1, "no such class"),
            new Message.RankEnded(3, RankOutcome.Kind.ABORTED, 255, "stack"),
            new Message.NodeLost(1, "silence"),
            new Message.Inspect(7, 10_000),
            new Message.Inspected(7, List.of(new RankState(3, RankState.Activity.WAITING, "recv", "App.main(App.java:7)", 12,
                List.of(new PendingWait(PendingWait.Kind.RECEIVE, 8, "a \"name\"", PendingWait.ANY, 5, -1, List.of(0, PendingWait.ELSEWHERE))),
                List.of(new UnreceivedMessage("w", 1, 6, Long.MAX_VALUE)), List.of(new CommCalls(0, 9, 3, Map.of(4L, 2L)))),
                new RankState(4, RankState.Activity.ENDED, null, null, 0, List.of(), List.of(), List.of()))),
            new Message.PointOrder(2, 0), new Message.LastPoint(2, 17),
            new Message.Checkpointed(3, 18, 1L << 40, 12_000, null), new Message.Checkpointed(4, 19, 0, 5, "rank 1 on node b: full"),
            new Message.PrepareJvm(new Message.Prepare("a-1-beef", new byte[] {0, -1}, "tcp", List.of("a"), List.of(0), 0,
                List.of(new JobProgram("Main", List.of(), 1)), List.of(), null, Map.of(), null, null, null), List.of("/srv/a b.jar"), OFFERED, 8));
    }

    @Test
    void shouldHaveASampleOfEveryKindOfMessage() {
        final Set<Class<?>> sampled = messages().map(Object::getClass).collect(Collectors.toSet());
        assertEquals(Set.of(Message.class.getPermittedSubclasses()), sampled);
    }

    @Test
    void shouldGiveEveryKindADistinctTypeThatIsNoFrameType() {
        final List<Byte> types = messages().collect(Collectors.toMap(Object::getClass, MessageCodec::type, (a, b) -> a)).values().stream().sorted()
            .toList();
        assertEquals(Message.class.getPermittedSubclasses().length, Set.copyOf(types).size());
        assertTrue(types.getFirst() >= MessageCodec.FIRST_MESSAGE, types.toString());
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldReadWhatWasWritten(final Message message) throws Exception {
        final Message read = MessageCodec.read(MessageCodec.type(message), MessageCodec.write(message));
        assertSame(message, read);
    }

    /** Asserts that all components are equal, those of messages within it as well. */
    private static void assertSame(final Message message, final Message read) throws ReflectiveOperationException {
        assertEquals(message.getClass(), read.getClass());
        for (final RecordComponent c : message.getClass().getRecordComponents()) {
            final Object expected = c.getAccessor().invoke(message);
            final Object actual = c.getAccessor().invoke(read);
            if (expected instanceof final Message within) {
                assertSame(within, (Message) actual);
            } else {
                assertTrue(Objects.deepEquals(expected, actual), c.getName() + ": expected=" + expected + ", actual=" + actual);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldRefuseEveryTruncationOfAMessage(final Message message) {
        final byte[] json = MessageCodec.write(message);
        for (int length = 0; length < json.length; length++) {
            final byte[] truncated = Arrays.copyOf(json, length);
            assertThrows(IOException.class, () -> MessageCodec.read(MessageCodec.type(message), truncated),
                new String(truncated, StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldRefuseJsonThatIsNotAnObject(final Message message) {
        for (final String json : List.of("null", "[]", "1", "\"x\"", "true", "\u0000", "{\"", "[".repeat(100_000), "{\"x\":".repeat(100_000))) {
            assertThrows(IOException.class, () -> MessageCodec.read(MessageCodec.type(message), json.getBytes(StandardCharsets.UTF_8)),
                json.substring(0, 1));
        }
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldRefuseMoreThanOneMessage(final Message message) {
        final byte[] json = MessageCodec.write(message);
        final byte[] twice = Arrays.copyOf(json, 2 * json.length);
        System.arraycopy(json, 0, twice, json.length, json.length);
        assertThrows(IOException.class, () -> MessageCodec.read(MessageCodec.type(message), twice));
    }

    @ParameterizedTest
    @ValueSource(bytes = {0, 1, 4, 5, 15, 64, 127, -1, -128})
    void shouldRefuseUnknownTypes(final byte type) {
        final IOException e = assertThrows(IOException.class, () -> MessageCodec.read(type, "{}".getBytes(StandardCharsets.UTF_8)));
        assertEquals("unknown type of message: type=" + type + ", range=16..33", e.getMessage());
    }

    @Test
    void shouldIgnoreUnknownFieldsOfANewerPeer() throws Exception {
        assertEquals(new Message.Accepted("x"), MessageCodec.read("{\"job\":\"x\",\"why\":{\"a\":[1]}}".getBytes(StandardCharsets.UTF_8),
            Message.Accepted.class));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ranks out of range: ranks=-1    | 'ranks':-1,'mainClass':'M','args':[],'timeoutMillis':0",
        "ranks out of range: ranks=65537 | 'ranks':65537,'mainClass':'M','args':[],'timeoutMillis':0",
        "timeout out of range            | 'ranks':1,'mainClass':'M','args':[],'timeoutMillis':-1",
        "main class missing              | 'ranks':1,'mainClass':' ','args':[],'timeoutMillis':0",
        "null                            | 'mainClass':'M','args':[],'timeoutMillis':0",
        "out of range of int             | 'ranks':4294967297,'mainClass':'M','args':[],'timeoutMillis':0",
        "Cannot construct                | 'ranks':1,'mainClass':'M','args':null,'timeoutMillis':0",
        "Cannot construct                | 'ranks':1,'mainClass':'M','args':[null],'timeoutMillis':0"}, quoteCharacter = '`')
    void shouldRefuseInvalidRuns(final String reason, final String fields) {
        refused(Message.Run.class, reason,
            "{" + fields + ",'mapping':'BLOCK','nodes':[],'files':[],'parameters':{},'environment':{},'placed':false,'traced':false}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "node out of range: self=-1, nodes=1 | -1 | 0    | 0",
        "node out of range: self=1, nodes=1  | 1  | 0    | 0",
        "node out of range: node=-1, nodes=1 | 0  | -1   | 0",
        "node out of range: node=1, nodes=1  | 0  | 0,1  | 0",
        "Cannot construct                    | 0  | null | 0",
        "program too large: file=f, bytes=-1 | 0  | 0    | -1",
        "program too large: file=f, bytes=2147483649 | 0 | 0 | 2147483649"}, quoteCharacter = '`')
    void shouldRefuseInvalidParts(final String reason, final String self, final String nodeOfRank, final String bytes) {
        refused(Message.Prepare.class, reason, "{'job':'j','key':'AAAA','transport':'tcp','nodes':['a'],'nodeOfRank':[" + nodeOfRank
            + "],'self':" + self + ",'programs':[{'mainClass':'M','args':[],'ranks':1,'requested':1}],'files':[{'name':'f','bytes':" + bytes
            + ",'sha256':'" + "0".repeat(64)
            + "','staged':false}],'parameters':{},'environment':{}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "port out of range        | {'name':'a','incarnation':'i','host':'h','port':-1,'pid':1,'cores':1,'since':0}",
        "not a node name          | {'name':'../a','incarnation':'i','host':'h','port':1,'pid':1,'cores':1,'since':0}",
        "host missing             | {'name':'a','incarnation':'i','port':1,'pid':1,'cores':1,'since':0}"}, quoteCharacter = '`')
    void shouldRefuseInvalidNodes(final String reason, final String json) {
        refused(NodeInfo.class, reason, json);
    }

    @ParameterizedTest
    @ValueSource(strings = {"'DANCE'", "''", "null", "99", "{}"})
    void shouldRefuseUnknownVerbs(final String verb) {
        refused(Message.Order.class, "", "{'verb':" + verb + ",'reason':''}");
    }

    @Test
    void shouldRefuseMessagesWithoutTheFieldThatTheirReceiverSwitchesOn() {
        refused(Message.Progress.class, "phase", "{'status':1,'text':''}");
        refused(Message.RankEnded.class, "kind", "{'rank':1,'status':1,'text':''}");
        refused(Message.Prepare.class, "transport",
            "{'job':'j','key':'AAAA','nodes':['a'],'nodeOfRank':[0],'self':0,'programs':[],'files':[]}");
        refused(Message.Prepared.class, "Cannot construct", "{'catalogue':{'epoch':1,'modules':[]}}");
        refused(NodeHello.class, "node", "{'protocol':1}");
    }

    private static void refused(final Class<?> type, final String reason, final String json) {
        final IOException e =
            assertThrows(IOException.class, () -> MessageCodec.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8), type));
        assertTrue(e.getMessage().contains(reason), e.getMessage());
    }
}
