package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static programs.Groups.fails;

import java.util.ArrayList;
import java.util.List;
import mpi.Comm;
import mpi.Datatype;
import mpi.Errhandler;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import org.junit.jupiter.api.function.Executable;

/** Attributes of communicators: predefined ones, ones without callbacks, and ones with callbacks. */
public final class Attributes {
    private static final List<String> CALLS = new ArrayList<>();

    private Attributes() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        predefined();
        plain();
        functions();
        nullValues();
        failures();
        freedWhileInUse();
        raisedOnTheirCommunicator();
        ofDatatypes();
    }

    /** The callbacks of a freed key read the attribute that they copy or delete. */
    private static void freedWhileInUse() throws MPIException {
        final int key = Comm.createKeyval((from, keyval, value) -> from.getAttr(keyval), (from, keyval, value) -> {
            assertSame(value, from.getAttr(keyval));
            CALLS.add("delete " + value);
        });
        final Intracomm one = MPI.COMM_WORLD.dup();
        one.setAttr(key, "a");
        Comm.freeKeyval(key);
        final Intracomm two = one.dup();
        one.deleteAttr(key);
        calls("delete a");
        assertNull(one.getAttr(key));
        assertEquals("a", two.getAttr(key));
        two.free();
        calls("delete a");
        fails(MPI.ERR_KEYVAL, "no such keyval of a Comm: keyval=" + key, () -> one.getAttr(key));
        one.free();
    }

    private static void raisedOnTheirCommunicator() throws MPIException {
        final List<Comm> raised = new ArrayList<>();
        final Intracomm comm = MPI.COMM_WORLD.dup();
        comm.setErrhandler(new Errhandler((on, error) -> raised.add(on)));
        fails(MPI.ERR_KEYVAL, "no such keyval of a Comm: keyval=12345", () -> comm.getAttr(12345));
        fails(MPI.ERR_KEYVAL, "attribute is predefined: keyval=0", () -> comm.setAttr(MPI.TAG_UB, 1));
        fails(MPI.ERR_KEYVAL, "no such keyval of a Comm: keyval=12345", () -> comm.deleteAttr(12345));
        assertEquals(List.of(comm, comm, comm), raised);
        comm.free();
    }

    private static void ofDatatypes() throws MPIException {
        final int plain = Datatype.createKeyval();
        final int copied = Datatype.createKeyval((from, keyval, value) -> value, (from, keyval, value) -> CALLS.add("delete " + value));
        final Datatype one = Datatype.createContiguous(2, MPI.INT);
        one.setAttr(plain, 1);
        one.setAttr(copied, 2);
        Datatype.freeKeyval(copied);
        final Datatype two = one.dup();
        assertNull(two.getAttr(plain));
        assertEquals(2, two.getAttr(copied));
        fails(MPI.ERR_KEYVAL, "keyval was freed: keyval=" + copied, () -> two.setAttr(copied, 3));
        one.free();
        calls("delete 2");
        two.deleteAttr(copied);
        calls("delete 2");
        fails(MPI.ERR_KEYVAL, "no such keyval of a Datatype: keyval=" + copied, () -> two.getAttr(copied));
        two.free();
        Datatype.freeKeyval(plain);
    }

    private static void predefined() throws MPIException {
        assertEquals(Integer.MAX_VALUE, MPI.COMM_WORLD.getAttr(MPI.TAG_UB));
        assertEquals(MPI.PROC_NULL, MPI.COMM_WORLD.getAttr(MPI.HOST));
        assertEquals(MPI.ANY_SOURCE, MPI.COMM_SELF.getAttr(MPI.IO));
        assertEquals(false, MPI.COMM_WORLD.getAttr(MPI.WTIME_IS_GLOBAL));
        assertEquals(0, MPI.COMM_WORLD.getAttr(MPI.APPNUM));
        assertEquals(MPI.COMM_WORLD.getSize(), MPI.COMM_WORLD.getAttr(MPI.UNIVERSE_SIZE));
        assertEquals(MPI.ERR_LASTCODE, MPI.COMM_WORLD.getAttr(MPI.LASTUSEDCODE));
        final int code = MPI.addErrorClass();
        assertEquals(code, MPI.COMM_WORLD.getAttr(MPI.LASTUSEDCODE));
        fails(MPI.ERR_KEYVAL, "attribute is predefined: keyval=0", () -> MPI.COMM_WORLD.setAttr(MPI.TAG_UB, 1));
        fails(MPI.ERR_KEYVAL, "attribute is predefined: keyval=4", () -> MPI.COMM_WORLD.deleteAttr(MPI.APPNUM));
        fails(MPI.ERR_KEYVAL, "attribute is predefined: keyval=1", () -> Comm.freeKeyval(MPI.HOST));
        fails(MPI.ERR_KEYVAL, "attribute is predefined: keyval=8", () -> MPI.COMM_WORLD.getAttr(MPI.WIN_SIZE));
        fails(MPI.ERR_KEYVAL, "no such keyval of a Comm: keyval=-1", () -> MPI.COMM_WORLD.getAttr(MPI.KEYVAL_INVALID));
        fails(MPI.ERR_KEYVAL, "no such keyval of a Comm: keyval=12345", () -> MPI.COMM_WORLD.setAttr(12345, ""));
    }

    private static void plain() throws MPIException {
        final int key = Comm.createKeyval();
        final int other = Comm.createKeyval();
        final Object value = new Object();
        final Intracomm dup = MPI.COMM_WORLD.dup();
        assertNull(dup.getAttr(key));
        dup.setAttr(key, value);
        assertSame(value, dup.getAttr(key));
        assertNull(dup.getAttr(other));
        assertNull(MPI.COMM_WORLD.getAttr(key));
        final Intracomm copy = dup.dup();
        assertNull(copy.getAttr(key));
        final Intracomm part = dup.split(0, 0);
        assertNull(part.getAttr(key));
        copy.setAttr(key, "new");
        assertSame(value, dup.getAttr(key));
        dup.deleteAttr(key);
        dup.deleteAttr(key);
        assertNull(dup.getAttr(key));
        Comm.freeKeyval(key);
        assertEquals("new", copy.getAttr(key));
        assertNull(dup.getAttr(key));
        fails(MPI.ERR_KEYVAL, "keyval was freed: keyval=" + key, () -> copy.setAttr(key, "newer"));
        fails(MPI.ERR_KEYVAL, "keyval was freed: keyval=" + key, () -> Comm.freeKeyval(key));
        // with the last attribute the key goes
        copy.deleteAttr(key);
        fails(MPI.ERR_KEYVAL, "no such keyval of a Comm: keyval=" + key, () -> copy.getAttr(key));
        fails(MPI.ERR_KEYVAL, "no such keyval of a Comm: keyval=" + key, () -> Comm.freeKeyval(key));
        Comm.freeKeyval(Comm.createKeyval());
        List.of(dup, copy, part).forEach(c -> {
            try {
                c.free();
            } catch (final MPIException e) {
                throw new AssertionError(e);
            }
        });
        startsWith("communicator has been freed", MPI.ERR_COMM, () -> dup.getAttr(other));
    }

    private static void startsWith(final String start, final int errorClass, final Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertTrue(e.getMessage().startsWith(start), e.getMessage());
        assertEquals(errorClass, e.getErrorClass());
    }

    private static void functions() throws MPIException {
        final int counted = Comm.createKeyval((from, keyval, value) -> {
            CALLS.add("copy " + value);
            return (Integer) value + 1;
        }, (from, keyval, value) -> CALLS.add("delete " + value));
        final int uncopied = Comm.createKeyval((from, keyval, value) -> null, (from, keyval, value) -> CALLS.add("delete " + value));
        final Intracomm one = MPI.COMM_WORLD.dup();
        one.setAttr(counted, 1);
        one.setAttr(uncopied, "uncopied");
        one.setAttr(counted, 5);
        calls("delete 1");
        final Intracomm two = one.dup();
        calls("copy 5");
        assertEquals(6, two.getAttr(counted));
        assertNull(two.getAttr(uncopied));
        final Intracomm three = two.iDup();
        calls("copy 6");
        three.getRequest().waitFor();
        assertEquals(7, three.getAttr(counted));
        three.deleteAttr(counted);
        calls("delete 7");
        three.free();
        calls();
        // attributes outlive their keyval
        Comm.freeKeyval(counted);
        final Intracomm four = two.dup();
        calls("copy 6");
        four.disconnect();
        calls("delete 7");
        two.free();
        calls("delete 6");
        one.free();
        // the last attribute set is deleted first
        calls("delete 5", "delete uncopied");
    }

    /** A value may be null: it is deleted as others are. */
    private static void nullValues() throws MPIException {
        final int key = Comm.createKeyval(null, (from, keyval, value) -> CALLS.add("delete " + value));
        final Intracomm one = MPI.COMM_WORLD.dup();
        one.setAttr(key, null);
        assertNull(one.getAttr(key));
        final Intracomm two = one.dup();
        one.setAttr(key, 1);
        calls("delete null");
        two.free();
        calls();
        one.free();
        calls("delete 1");
    }

    private static void calls(final String... expected) {
        assertEquals(List.of(expected), CALLS);
        CALLS.clear();
    }

    private static void failures() throws MPIException {
        final boolean[] isClosed = {true};
        final int key = Comm.createKeyval((from, keyval, value) -> {
            throw new MPIException("not copied");
        }, (from, keyval, value) -> {
            if (isClosed[0]) {
                throw new MPIException("not deleted");
            }
        });
        final Intracomm comm = MPI.COMM_WORLD.dup();
        comm.setAttr(key, 1);
        startsWith("not copied", MPI.ERR_OTHER, comm::dup);
        startsWith("not deleted", MPI.ERR_OTHER, () -> comm.deleteAttr(key));
        startsWith("not deleted", MPI.ERR_OTHER, () -> comm.setAttr(key, 2));
        startsWith("not deleted", MPI.ERR_OTHER, comm::free);
        assertEquals(1, comm.getAttr(key));
        assertFalse(comm.isNull());
        isClosed[0] = false;
        comm.free();
        assertTrue(comm.isNull());
    }
}
