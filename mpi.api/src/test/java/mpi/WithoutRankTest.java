package mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WithoutRankTest {

    @Test
    void shouldSayHowToRunTheProgramWhenItWasStartedByItself() {
        final Error first = assertThrows(ExceptionInInitializerError.class, () -> MPI.Init(new String[0]));
        final Throwable why = assertInstanceOf(IllegalStateException.class, first.getCause());
        assertTrue(why.getMessage().contains("run this program with: tutti run "), why.getMessage());
        final Error second = assertThrows(NoClassDefFoundError.class, MPI::wtime);
        assertTrue(second.getCause().getMessage().contains("tutti run "), second.getCause().getMessage());
    }

    @Test
    void shouldHaveOpenMpisNumbers() {
        assertEquals(-1, MPI.ANY_SOURCE);
        assertEquals(-1, MPI.ANY_TAG);
        assertEquals(-2, MPI.PROC_NULL);
        assertEquals(-4, MPI.ROOT);
        assertEquals(-32766, MPI.UNDEFINED);
        assertEquals(3, MPI.THREAD_MULTIPLE);
        assertEquals(1, MPI.CART);
        assertEquals(2, MPI.GRAPH);
        assertEquals(3, MPI.UNEQUAL);
        assertEquals(602, MPI.SEEK_CUR);
        assertEquals(15, MPI.ERR_TRUNCATE);
        assertEquals(19, MPI.ERR_PENDING);
        assertEquals(35, MPI.ERR_IO);
        assertEquals(48, MPI.ERR_SERVICE);
        assertEquals(53, MPI.ERR_WIN);
    }
}
