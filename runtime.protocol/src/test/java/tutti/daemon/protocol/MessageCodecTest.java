package tutti.daemon.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Version;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.RankPlacement;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.monitor.TuningRecord;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeLoad;
import tutti.daemon.node.NodeReport;
import tutti.daemon.node.ProofCounts;
import tutti.runtime.inspect.CommCalls;
import tutti.runtime.inspect.FileState;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.inspect.RankState;
import tutti.runtime.inspect.UnreceivedMessage;
import tutti.runtime.inspect.WindowState;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;

/** Tests of records as bytes and back, and of invalid bytes. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MessageCodecTest {
    private static final NodeInfo NODE = new NodeInfo("a.b-c_9", "cafe", "::1", 65_535, Long.MAX_VALUE, "25.0.3", 128, -1);
    private static final NodeReport REPORT =
        new NodeReport(NODE, 7, new Catalogue(3, List.of(new ModuleId("basic", new Version(1, 0, 0), ""))), List.of("tcp", "uds"),
            Map.of("uds", "host"),
            List.of(new JobInfo("a-1-beef", "running", 4, List.of("a", "b"), List.of("basic 1.0.0"), 0, "", "Pi.java", 1, "me@here", "a")),
            new NodeLoad("0.1.0", Long.MAX_VALUE, 0, new CacheStatistics(1, 2, 3, 4, 5), new ProofCounts(6, 1, 9, Map.of("too large", 2L)),
                new MessageStatistics(1, 2, 3, Long.MAX_VALUE)),
            List.of("a warning"));
    private static final ProgramFile FILE = new ProgramFile("app.jar", Protocol.MAX_PROGRAM, "0".repeat(64));

    private static final RuleTable RULES = new RuleTable("a \"table\"", List.of(new SelectionRule("allreduce",
        List.of(AlgorithmRef.of("smp/direct:segment=16K,small=1"), new AlgorithmRef("basic", null))).with(RuleCondition.RANKS, "2..8")
        .with(RuleCondition.RANKS_PER_NODE, "2..").with(RuleCondition.BYTES, "..64K").with(RuleCondition.COMMUTATIVE, "true")
        .with(RuleCondition.IN_PLACE, "false").with(RuleCondition.LEVEL, "switch or host"),
        new SelectionRule(null, List.of(new AlgorithmRef("ring", null)))));

    private static final CallTuning TUNING = new CallTuning("a \"name\"", new CallTuning.Shape(5, 3, new LongRange(1, 2)), "allreduce",
        CallTuning.Kind.NOT_COMMUTATIVE, new LongRange(1L << 62, Long.MAX_VALUE), List.of(
            new CallTuning.Measured(new ModuleId("tree", new Version(1, 2, 3, "q"), "0f"), AlgorithmRef.of("tree/kary:branches=4,segment=64K"), 7,
                Long.MAX_VALUE, 3, 1, null),
            new CallTuning.Measured(new ModuleId("basic", new Version(1, 0, 0), "1f"), new AlgorithmRef("basic", null), 0, 0, 0, 0.1 + 0.2,
                "failed in a call")),
        0, -1, 1L << 40, 2, Long.MAX_VALUE);

    /** Returns records of the protocol with the values that are easiest to get wrong. */
    static Stream<Record> records() {
        return Stream.of(
            new RunRequest(Protocol.MAX_RANKS, RunRequest.Mapping.NODE, List.of("b", "a"), "a.Main",
                List.of("", "two words", "\u00e9\u20ac\ud83d\ude00\"\\\n\u0000"), List.of(FILE),
                Map.of("coll.tree.k", "2"), RULES, Long.MAX_VALUE, "Pi.java", "me@here", Map.of("A", "x=\u20ac", "B", ""), true, true, null),
            new RunRequest(0, RunRequest.Mapping.BLOCK, List.of(), "M", List.of(), List.of(), Map.of(), null, 0, "", "", Map.of(), false, false,
                "a/3"),
            new RankPlacement(List.of("b", "a"), List.of(0, 0, 1)), new JobEnd(124, "two\nlines"), new Reply(0, ""), REPORT,
            new ModuleChange(ModuleChange.Kind.INSTALL, null, null, FILE, List.of("a"), true, false), new ClientHello(Protocol.VERSION),
            new NodeHello(Protocol.VERSION, NODE, null), TUNING, new TuningRecord(TUNING, 412, 3),
            RULES.withLearnt(List.of(new SelectionRule("bcast", List.of(new AlgorithmRef("ring", "ring")))), List.of("measured \"well\"")),
            new RankState(3, RankState.Activity.WAITING, "recv", "App.main(App.java:7)", 12,
                List.of(new PendingWait(PendingWait.Kind.RECEIVE, 8, "a \"name\"", PendingWait.ANY, 5, -1, List.of(0, PendingWait.ELSEWHERE))),
                List.of(new UnreceivedMessage("w", 1, 6, Long.MAX_VALUE)), List.of(new CommCalls(0, 9, 3, Map.of(4L, 2L))),
                List.of(new WindowState(8, "w", "lock {1}", List.of(0, 2), false, List.of(3))),
                List.of(new FileState("/a \"b\"", "CREATE|RDWR", Long.MAX_VALUE, 4, true, List.of("writeAllBegin", "iReadAt")))),
            new RankState(4, RankState.Activity.ENDED, null, null, 0, List.of(), List.of(), List.of()));
    }

    @ParameterizedTest
    @MethodSource("records")
    void shouldReadWhatWasWritten(final Record value) throws Exception {
        assertEquals(value, MessageCodec.read(MessageCodec.write(value), value.getClass()));
        assertEquals(value, MessageCodec.read(MessageCodec.text(value), value.getClass()));
        assertEquals(value, MessageCodec.read(MessageCodec.pretty(value), value.getClass()));
    }

    @Test
    void shouldReadArraysOfValues() throws Exception {
        final Type texts = RankPlacement.class.getRecordComponents()[0].getGenericType();
        final Object[] values = {new Reply(3, "x"), List.of("a", ""), 7L};
        assertArrayEquals(values, MessageCodec.readAll(MessageCodec.write(values), List.of(Reply.class, texts, long.class)));
    }

    @ParameterizedTest
    @MethodSource("records")
    void shouldRefuseEveryTruncation(final Record value) {
        final byte[] json = MessageCodec.write(value);
        for (int length = 0; length < json.length; length++) {
            final byte[] truncated = Arrays.copyOf(json, length);
            assertThrows(IOException.class, () -> MessageCodec.read(truncated, value.getClass()), new String(truncated, StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @MethodSource("records")
    void shouldRefuseJsonThatIsNotAnObject(final Record value) {
        for (final String json : List.of("null", "[]", "1", "\"x\"", "true", "\u0000", "{\"", "[".repeat(100_000), "{\"x\":".repeat(100_000))) {
            assertThrows(IOException.class, () -> MessageCodec.read(json, value.getClass()), json.substring(0, 1));
        }
    }

    @Test
    void shouldSayThatThereIsNoRecord() {
        assertEquals("message is empty: type=Reply", assertThrows(IOException.class, () -> MessageCodec.read("null", Reply.class)).getMessage());
    }

    @ParameterizedTest
    @MethodSource("records")
    void shouldRefuseMoreThanOneRecord(final Record value) {
        assertThrows(IOException.class, () -> MessageCodec.read(MessageCodec.text(value).repeat(2), value.getClass()));
    }

    @Test
    void shouldIgnoreUnknownFieldsOfANewerPeer() throws Exception {
        assertEquals(new Reply(1, "x"), MessageCodec.read("{\"status\":1,\"text\":\"x\",\"why\":{\"a\":[1]}}", Reply.class));
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
    void shouldRefuseInvalidRequests(final String reason, final String fields) {
        refused(RunRequest.class, reason,
            "{" + fields + ",'mapping':'BLOCK','nodes':[],'files':[],'parameters':{},'environment':{},'placed':false,'traced':false}");
    }

    @ParameterizedTest
    @CsvSource({"-1", "2147483649"})
    void shouldRefuseFilesOfInvalidLengths(final long bytes) {
        refused(ProgramFile.class, "program too large: file=f, bytes=" + bytes, "{'name':'f','bytes':" + bytes + ",'sha256':'" + "0".repeat(64)
            + "','staged':false}");
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
    void shouldRefuseUnknownKinds(final String kind) {
        refused(ModuleChange.class, "", "{'kind':" + kind + ",'name':'m','nodes':[],'verify':false,'force':false}");
    }

    @Test
    void shouldRefuseRecordsWithoutTheFieldThatTheirReceiverSwitchesOn() {
        refused(RunRequest.class, "mapping", "{'ranks':1,'mainClass':'M','args':[],'timeoutMillis':0,'nodes':[],'files':[],'parameters':{},"
            + "'environment':{},'placed':false,'traced':false}");
        refused(NodeHello.class, "node", "{'protocol':1}");
    }

    private static void refused(final Class<?> type, final String reason, final String json) {
        final IOException e =
            assertThrows(IOException.class, () -> MessageCodec.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8), type));
        assertTrue(e.getMessage().contains(reason), e.getMessage());
    }
}
