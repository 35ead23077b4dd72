package tutti.mpi.interception;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mpi.Comm;
import mpi.Datatype;
import org.junit.jupiter.api.Test;

/** Tests the roles of arguments of every public method. A new method fails until its shape is in the table. */
class InterceptableCallTest {
    /** The roles of a call's arguments, {@code -} for none, and the operations that have them. Calls without roles have their operations alone. */
    private static final String SHAPES = """
        : InitThread abort ackFailed addErrorCode addErrorString attach callErrhandler compare createContiguous createDims createHIndexed \
        createHVector createIndexed createResized createStruct createVector deleteAttr explain explainParts fence freeKeyval getAttr getByteOffset \
        getCoords getCount getDispUnit getElements getElementsX getErrorClass getErrorString getKey getNeighbors getTypeExtent lockAll newByteBuffer \
        newCharBuffer newDoubleBuffer newFloatBuffer newIntBuffer newLongBuffer newShortBuffer pControl post preallocate seek seekShared setAttr \
        setElements setElementsX setError setSize setSource setTag setView sharedQuery shift slice split splitType start
        - - - - peer -: compareAndSwap
        - - - - root -: spawn spawnMultiple
        - - - count type: unpack
        - - - peer - -: fetchAndOp
        - - - tag: createIntercomm
        - - count type: iReadAt iReadAtAll iWriteAt iWriteAtAll readAt readAtAll readAtAllBegin writeAt writeAtAll writeAtAllBegin
        - - count type -: allReduce allReduceInit exScan exScanInit iAllReduce iExScan iReduceScatter iReduceScatterBlock iScan reduceLocal \
        reduceScatter reduceScatterBlock reduceScatterBlockInit reduceScatterInit scan scanInit
        - - count type - root: iReduce reduce reduceInit
        - - root: accept connect
        - count - type: allGatherv allGathervInit allToAllv allToAllvInit allToAllw allToAllwInit iAllGatherv iAllToAllv iAllToAllw
        - count - type - count - type: allToAllv allToAllvInit allToAllw allToAllwInit iAllToAllv iAllToAllw iNeighborAllToAllv iNeighborAllToAllw \
        neighborAllToAllv neighborAllToAllvInit neighborAllToAllw neighborAllToAllwInit
        - count - type - count type root: iScatterv scatterv scattervInit
        - count - type root: gatherv gathervInit iGatherv iScatterv scatterv scattervInit
        - count type: allGather allGatherInit allToAll allToAllInit iAllGather iAllToAll iRead iReadAll iReadShared iWrite iWriteAll iWriteShared \
        imRecv mRecv read readAll readAllBegin readOrdered readOrderedBegin readShared write writeAll writeAllBegin writeOrdered writeOrderedBegin \
        writeShared
        - count type -: allReduce allReduceInit exScan exScanInit iAllReduce iExScan iReduceScatter iReduceScatterBlock iScan reduceScatter \
        reduceScatterBlock reduceScatterBlockInit reduceScatterInit scan scanInit
        - count type - -: pack
        - count type - count - type: allGatherv allGathervInit iAllGatherv iNeighborAllGatherv neighborAllGatherv neighborAllGathervInit
        - count type - count - type root: gatherv gathervInit iGatherv
        - count type - count type: allGather allGatherInit allToAll allToAllInit iAllGather iAllToAll iNeighborAllGather iNeighborAllToAll \
        neighborAllGather neighborAllGatherInit neighborAllToAll neighborAllToAllInit
        - count type - count type peer - - - -: getAccumulate rGetAccumulate
        - count type - count type root: gather gatherInit iGather iScatter scatter scatterInit
        - count type - root: iReduce reduce reduceInit
        - count type peer - - -: get put rGet rPut
        - count type peer - - - -: accumulate rAccumulate
        - count type peer tag: bSend bSendInit iRecv iSend ibSend irSend isSend rSend rSendInit recv recvInit sSend sSendInit send sendInit
        - count type peer tag - -: iSendRecvReplace sendRecvReplace
        - count type peer tag - count type - -: iSendRecv sendRecv
        - count type root: bcast bcastInit gather gatherInit gatherv gathervInit iBcast iGather iGatherv iScatter iScatterv scatter scatterInit \
        scatterv scattervInit
        - peer -: lock
        - root: accept connect
        - tag: createGroup
        count type: packSize
        peer: flush flushLocal unlock
        peer tag: iProbe probe
        peer tag comm: imProbe mProbe
        """;

    private static String roles(final InterceptableCall call) {
        final String[] roles = new String[call.method().getParameterCount()];
        Arrays.fill(roles, "-");
        call.counts().forEach(i -> roles[i] = "count");
        call.types().forEach(i -> roles[i] = "type");
        Map.of("peer", call.peer(), "root", call.root(), "tag", call.tag(), "comm", call.comm()).forEach((role, index) -> {
            if (index >= 0) {
                roles[index] = role;
            }
        });
        return Stream.of(roles).allMatch("-"::equals) ? "" : String.join(" ", roles);
    }

    private static boolean mayHaveRoles(final Class<?> type) {
        return type == int.class || type == long.class || type == Datatype.class || type == Datatype[].class || Comm.class.isAssignableFrom(type);
    }

    @Test
    void shouldKnowTheRolesOfTheArgumentsOfEveryCall() {
        final Map<String, TreeSet<String>> shapes = new TreeMap<>();
        for (final InterceptableCall call : CallBridgeClass.CALLS) {
            if (Stream.of(call.method().getParameterTypes()).anyMatch(InterceptableCallTest::mayHaveRoles)) {
                shapes.computeIfAbsent(roles(call), r -> new TreeSet<>()).add(call.operation());
            }
        }
        assertEquals(SHAPES, shapes.entrySet().stream().map(s -> s.getKey() + ": " + String.join(" ", s.getValue()) + "\n")
            .collect(Collectors.joining()));
    }

    @Test
    void shouldTakeTheObjectOfACallAsItsCommunicator() {
        final List<InterceptableCall> calls = CallBridgeClass.CALLS.stream()
            .filter(c -> Comm.class.isAssignableFrom(c.method().getDeclaringClass())).toList();
        for (final InterceptableCall call : calls) {
            assertEquals(Modifier.isStatic(call.method().getModifiers()) ? InterceptableCall.NONE : InterceptableCall.RECEIVER, call.comm(),
                call.method().toString());
        }
    }

    /** A call may have several counts: each is that of the datatype at the same position of the list. */
    @Test
    void shouldHaveACountForEachDatatype() {
        for (final InterceptableCall call : CallBridgeClass.CALLS) {
            assertEquals(call.types().size(), call.counts().size(), call.method().toString());
            for (int i = 0; i < call.types().size(); i++) {
                final int before = call.types().get(i) - call.counts().get(i);
                assertTrue(before == 1 || before == 2, call.method().toString());
            }
        }
    }
}
