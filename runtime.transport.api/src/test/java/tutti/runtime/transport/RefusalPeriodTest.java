package tutti.runtime.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RefusalPeriodTest {

    @Test
    void shouldLogTheFirstRefusalsOfAPeriodAlone() {
        final RefusalPeriod period = new RefusalPeriod(2, Duration.ofHours(1));
        assertEquals(1, period.count());
        assertEquals(1, period.count());
        assertEquals(0, period.count());
        assertEquals(0, period.count());
    }

    @Test
    void shouldTellInTheNextPeriodHowManyWereNotLogged() {
        final RefusalPeriod period = new RefusalPeriod(1, Duration.ofMillis(200));
        final long from = System.nanoTime();
        assertEquals(1, period.count());
        long all = 1;
        long logged = 0;
        while (logged == 0) {
            all++;
            logged = period.count();
            LockSupport.parkNanos(1_000_000);
        }
        assertEquals(all - 1, logged);
        assertTrue(System.nanoTime() - from >= 200_000_000);
    }
}
