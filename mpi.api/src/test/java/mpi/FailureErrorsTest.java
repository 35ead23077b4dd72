package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Modifier;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.coll.advanced.CollException;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** The types of the errors by which a program learns that ranks have failed, outside of ranks. */
class FailureErrorsTest {
    private static final int[] FAILED = {5, 3};

    private static Class<?> typeOf(final ErrorClass errorClass) {
        return switch (errorClass) {
            case PROC_FAILED, PROC_FAILED_PENDING -> ProcessFailedException.class;
            case REVOKED -> RevokedException.class;
            default -> MPIException.class;
        };
    }

    private static ProcessFailedException failed() {
        return new ProcessFailedException(MPI.ERR_PROC_FAILED, MPI.ERR_PROC_FAILED, "x", null,
            new Group(tutti.runtime.model.Group.of(FAILED), 3));
    }

    @ParameterizedTest
    @EnumSource
    void shouldThrowTheTypeThatBelongsToTheErrorClass(final ErrorClass errorClass) {
        final MPIException error = ErrorHandling.error(new MpiFailure(errorClass, "x"));
        assertSame(typeOf(errorClass), error.getClass());
        assertEquals(errorClass.code(), error.getErrorClass());
        assertEquals(errorClass.code(), error.getErrorCode());
        assertEquals(typeOf(errorClass).getName() + ": " + ErrorNames.of(errorClass.code()) + ": x", error.toString());
        assertSame(error.getClass(), ErrorHandling.unhandled(errorClass.code(), "x", null).getClass());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
    void shouldThrowTheTypeAlsoWhereAModuleOrAFunctionReportsTheError(final ErrorClass errorClass) {
        final int code = 4711;
        final MPIException byModule = ErrorHandling.error(new MpiFailure(ErrorClass.OTHER, "x", new CollException(errorClass.code(), code, "x")));
        assertSame(typeOf(errorClass), byModule.getClass());
        assertEquals(errorClass.code(), byModule.getErrorClass());
        assertEquals(code, byModule.getErrorCode());
        final MPIException ofProgram = new MPIException(errorClass.code(), "x");
        assertSame(MPIException.class, ofProgram.getClass());
        assertEquals(errorClass.code(), ofProgram.getErrorClass());
        final MpiFailure failure = ofProgram.toFailure();
        assertEquals(errorClass, failure.errorClass());
        assertSame(typeOf(errorClass), ErrorHandling.error(failure).getClass());
    }

    @Test
    void shouldKeepTheClassOfAnErrorThatAProgramWraps() {
        final MPIException wrapped = new MPIException(failed());
        assertSame(MPIException.class, wrapped.getClass());
        assertEquals(MPI.ERR_PROC_FAILED, wrapped.getErrorClass());
        assertEquals(ErrorClass.PROC_FAILED, failed().toFailure().errorClass());
    }

    @Test
    void shouldHaveNoOtherTypes() {
        assertTrue(MPIException.class.isSealed());
        assertEquals(Set.of(ProcessFailedException.class, RevokedException.class), Set.of(MPIException.class.getPermittedSubclasses()));
        for (final Class<?> type : MPIException.class.getPermittedSubclasses()) {
            assertTrue(Modifier.isFinal(type.getModifiers()), type.toString());
            assertEquals(0, type.getConstructors().length, type.toString());
        }
    }

    @Test
    void shouldReturnAGroupOfFailedRanksThatTheProgramMayFree() throws MPIException {
        final ProcessFailedException error = failed();
        final Group first = error.getFailed();
        first.free();
        final Group second = error.getFailed();
        assertNotSame(first, second);
        assertFalse(second.isNull());
        assertEquals(FAILED.length, second.getSize());
        assertEquals(1, second.getRank());
        assertSame(Group.EMPTY, assertInstanceOf(ProcessFailedException.class, ErrorHandling.unhandled(MPI.ERR_PROC_FAILED_PENDING, "x", null))
            .getFailed());
    }

    @Test
    void shouldHaveNoFailedRanksWhenItWasDeserialized() throws Exception {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(failed());
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            final ProcessFailedException read = (ProcessFailedException) in.readObject();
            assertEquals(MPI.ERR_PROC_FAILED, read.getErrorClass());
            assertSame(Group.EMPTY, read.getFailed());
        }
    }

    @Test
    void shouldHaveTheNumbersOfOpenMpi() {
        assertEquals(75, MPI.ERR_PROC_FAILED);
        assertEquals(76, MPI.ERR_PROC_FAILED_PENDING);
        assertEquals(77, MPI.ERR_REVOKED);
        assertTrue(MPI.ERR_REVOKED < MPI.ERR_LASTCODE);
    }
}
