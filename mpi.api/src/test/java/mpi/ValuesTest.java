package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** Info, Group, Op, Count, exceptions and the null request. */
class ValuesTest {

    @Test
    void shouldKeepHintsInTheOrderOfTheirKeys() throws Exception {
        final Info info = new Info();
        info.set("b", "1");
        info.set("a", "2");
        info.set("b", "3");
        assertEquals(2, info.size());
        assertEquals("b", info.getKey(0));
        assertEquals("3", info.get("b"));
        assertNull(info.get("c"));
        final Info copy = info.dup();
        info.delete("b");
        assertEquals(1, info.size());
        assertEquals(2, copy.clone().size());
        assertEquals(MPI.ERR_INFO_NOKEY, assertThrows(MPIException.class, () -> info.delete("b")).getErrorClass());
        assertEquals("index of info key out of range: index=1, size=1", assertThrows(MPIException.class, () -> info.getKey(1)).getMessage());
        assertEquals(MPI.ERR_INFO_KEY, assertThrows(MPIException.class, () -> info.set("k".repeat(37), "v")).getErrorClass());
        assertEquals(MPI.ERR_INFO_VALUE, assertThrows(MPIException.class, () -> info.set("k", "v".repeat(257))).getErrorClass());
        info.free();
        assertTrue(info.isNull());
        assertEquals(MPI.ERR_INFO, assertThrows(MPIException.class, info::size).getErrorClass());
        assertTrue(Info.NULL.isNull());
    }

    @Test
    void shouldFreeAllGroupsExceptTheEmptyOne() throws Exception {
        final Group group = new Group(tutti.runtime.model.Group.of(5, 6, 7, 8), 7);
        assertEquals(4, group.getSize());
        assertEquals(2, group.getRank());
        group.free();
        assertTrue(group.isNull());
        assertEquals(MPI.ERR_GROUP, assertThrows(MPIException.class, group::getSize).getErrorClass());
        Group.EMPTY.free();
        assertEquals(0, Group.EMPTY.getSize());
        assertEquals(MPI.UNDEFINED, Group.EMPTY.getRank());
    }

    @Test
    void shouldFreeUserOperationsOnly() throws Exception {
        final Op op = new Op(new UserFunction() {}, true);
        assertTrue(op.isCommutative());
        assertFalse(op.isNull());
        op.free();
        assertTrue(op.isNull());
        final Op sum = new Op(Predefined.op("SUM"));
        assertEquals("predefined operation cannot be freed: op=MPI_SUM", assertThrows(MPIException.class, sum::free).getMessage());
    }

    @Test
    void shouldReturnClassAndMessageOfErrors() {
        final MPIException e = ErrorHandling.error(new MpiFailure(ErrorClass.ROOT, "root out of range: root=7, size=4"));
        assertEquals(MPI.ERR_ROOT, e.getErrorClass());
        assertEquals(MPI.ERR_ROOT, e.getErrorCode());
        assertEquals("root out of range: root=7, size=4", e.getMessage());
        assertEquals(MPI.ERR_OTHER, new MPIException("x").getErrorClass());
        assertEquals(MPI.ERR_ROOT, new MPIException(e).getErrorClass());
        assertEquals(ErrorClass.ROOT, e.toFailure().errorClass());
        assertEquals(ErrorClass.OTHER, ErrorHandling.unhandled(MPI.ERR_KEYVAL, "x", null).toFailure().errorClass());
    }

    @Test
    void shouldIgnoreNullRequests() throws Exception {
        final Request none = Request.NULL;
        final Request[] all = {none, none};
        assertTrue(none.isNull());
        assertTrue(none.test());
        none.waitFor();
        final Status empty = none.waitStatus();
        assertEquals(MPI.ANY_SOURCE, empty.getSource());
        assertEquals(MPI.ANY_TAG, empty.getTag());
        assertEquals(MPI.UNDEFINED, Request.waitAny(all));
        assertEquals(MPI.UNDEFINED, Request.testAny(all));
        assertEquals(MPI.UNDEFINED, Request.waitAnyStatus(all).getIndex());
        assertEquals(MPI.UNDEFINED, Request.testAnyStatus(all).getIndex());
        assertEquals(2, Request.waitAllStatus(all).length);
        assertTrue(Request.testAll(all));
        assertNull(Request.waitSome(all));
        assertNull(Request.testSomeStatus(all));
        none.free();
        assertEquals("request missing in array: index=1, use MPI.REQUEST_NULL",
            assertThrows(MPIException.class, () -> Request.waitAll(new Request[] {none, null})).getMessage());
    }
}
