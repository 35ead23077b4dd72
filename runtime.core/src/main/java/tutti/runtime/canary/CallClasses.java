package tutti.runtime.canary;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.introspect.CanaryReport.Verdict;
import tutti.runtime.policy.MessageBytes;

/**
 * The classes of calls on one communicator during a trial, and the verdict on the candidate. All ranks make the same calls and note the same
 * comparisons, so they find the same verdict.
 *
 * <p><b>Threads.</b> For the thread that calls. Another one may take a report under the lock of this object, which guards what comparisons note.
 */
public final class CallClasses {
    /** A class that has a smaller part of the calls is not waited for. */
    private static final int RARE = 100;
    private static final int SIZES = 2 + Long.SIZE;

    private final int calls;
    private final long fewest;
    private final @Nullable CallClass[] classes = new CallClass[Operation.values().size() * SIZES];

    /**
     * A verdict.
     *
     * @param reason reason in words; empty where there is none
     */
    public record Decided(Verdict verdict, String reason) {
        private static final Decided RUNNING = new Decided(Verdict.RUNNING, "");
    }

    /**
     * Creates the classes of a trial.
     *
     * @param calls  number of calls of each class that are compared
     * @param fewest number of the program's calls before which a candidate is not found good
     */
    public CallClasses(final int calls, final long fewest) {
        this.calls = calls;
        this.fewest = fewest;
    }

    /** Returns the class of a call. Allocates nothing but for a class that is new. */
    public CallClass of(final Operation<?> operation, final Call call) {
        final long bytes = MessageBytes.of(operation, call);
        final int size = bytes < 0 ? 0 : 1 + Long.SIZE - Long.numberOfLeadingZeros(bytes);
        final int index = operation.ordinal() * SIZES + size;
        final CallClass known = classes[index];
        return known != null ? known : add(index, operation, size < 2 ? size - 1 : 1L << size - 2);
    }

    private synchronized CallClass add(final int index, final Operation<?> operation, final long fromBytes) {
        final CallClass made = new CallClass(operation, fromBytes);
        classes[index] = made;
        return made;
    }

    /** Returns whether enough calls of a class were compared, or none is to be. */
    public boolean isComplete(final CallClass of) {
        return of.isComplete(calls);
    }

    private Stream<CallClass> all() {
        return Stream.of(classes).filter(Objects::nonNull).map(Objects::requireNonNull);
    }

    /** Returns the verdict on results and times that were noted. A failure of the candidate is none of them. */
    public Decided verdict() {
        final List<CallClass> slow = all().filter(c -> c.isSlow(calls)).toList();
        if (!slow.isEmpty()) {
            return new Decided(Verdict.SLOW, times(slow));
        }
        final long used = all().mapToLong(CallClass::used).sum();
        final List<CallClass> frequent = all().filter(c -> c.used() * RARE > used).toList();
        if (used < fewest || !frequent.stream().allMatch(this::isComplete)) {
            return Decided.RUNNING;
        }
        if (frequent.stream().allMatch(CallClass::isExcluded)) {
            return new Decided(Verdict.ABANDONED,
                frequent.stream().allMatch(CallClass::isSame) ? "it serves none of the calls" : "no calls can be compared");
        }
        final List<CallClass> uncertain = frequent.stream().filter(CallClass::isUncertain).toList();
        if (!uncertain.stream().allMatch(CallClass::isMedianLow)) {
            return new Decided(Verdict.ABANDONED, "times vary too much to tell whether it is slow: " + times(uncertain));
        }
        final List<CallClass> fast = all().filter(c -> c.isFast(calls)).toList();
        if (!fast.isEmpty()) {
            return new Decided(Verdict.BETTER, times(fast));
        }
        return new Decided(Verdict.EQUAL, uncertain.isEmpty() ? "" : "as far as can be told where times vary: " + times(uncertain));
    }

    private static String times(final List<CallClass> of) {
        return String.join("; ", of.stream().map(CallClasses::times).toList());
    }

    private static String times(final CallClass of) {
        final CanaryReport.CanaryClass r = of.report();
        return String.format(Locale.ROOT, "%s takes %.2f times as long (quartiles %.2f and %.2f, %d calls)", r.name(), r.ratio(), r.lowerQuartile(),
            r.upperQuartile(),
            r.compared());
    }

    /** Returns what is known of each class. */
    public synchronized List<CanaryReport.CanaryClass> report() {
        final List<CanaryReport.CanaryClass> reports = new ArrayList<>();
        all().forEach(c -> reports.add(c.report()));
        return reports;
    }

    /** Notes something about classes while no report is taken. */
    public synchronized void note(final Runnable change) {
        change.run();
    }
}
