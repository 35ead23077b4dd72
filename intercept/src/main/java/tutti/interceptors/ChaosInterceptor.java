package tutti.interceptors;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.metatype.annotations.Designate;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;
import tutti.intercept.CallInterceptor;
import tutti.intercept.InterceptedCall;
import tutti.intercept.InterceptedRank;
import tutti.intercept.RankInterceptor;

/** Delays calls, and refuses some, at random by a seed, to test how programs and modules bear it: {@code -p intercept=chaos}. Stateless. */
@Component(service = CollModule.class, property = CollModule.NAME + "=" + ChaosInterceptor.MODULE, configurationPid = ChaosParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = ChaosParameters.class)
@ProvidesCollectives(value = ChaosInterceptor.MODULE, operations = {})
public final class ChaosInterceptor implements CallInterceptor {
    /** The module's name. */
    static final String MODULE = CallInterceptor.PREFIX + "chaos";
    private static final int THOUSAND = 1000;
    private static final long MICRO = 1000;

    /** Made by Declarative Services. */
    public ChaosInterceptor() {
        // nothing to acquire
    }

    @Override
    public RankInterceptor begin(final InterceptedRank rank) {
        final ChaosParameters p = rank.job().parameters(ChaosParameters.PID, ChaosParameters.class);
        final AtomicLong calls = new AtomicLong();
        return new RankInterceptor() {
            @Override
            public void before(final InterceptedCall call) {
                if (!p.operation().isEmpty() && !p.operation().equals(call.operation())) {
                    return;
                }
                final SplittableRandom random = new SplittableRandom(p.seed() ^ (long) rank.rank() << Integer.SIZE ^ calls.getAndIncrement());
                if (random.nextInt(THOUSAND) < p.delays()) {
                    pause(random.nextLong(p.micros() * MICRO));
                }
                if (random.nextInt(THOUSAND) < p.errors()) {
                    throw new IllegalStateException("chaos: seed=" + p.seed() + ", operation=" + call.operation());
                }
            }
        };
    }

    private static void pause(final long nanos) {
        final long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !Thread.currentThread().isInterrupted(); left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
