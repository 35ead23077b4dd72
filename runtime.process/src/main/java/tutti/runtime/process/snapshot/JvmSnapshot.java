package tutti.runtime.process.snapshot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tutti.runtime.process.RankLoader;
import tutti.runtime.process.jdk.JdkAccess;

/**
 * The state of this JVM at a time when no rank ran, with which the present state is compared: a JVM may run the ranks of another job only if nothing
 * remains of those before.
 *
 * <p>Compared are threads, processes, open and mapped files, system properties, defaults of the JDK, registered objects, MBeans, loggers and the
 * class loaders of ranks. Nothing is restored; only cached resource bundles of ranks are dropped. What cannot be examined is a difference;
 * examination needs the {@link #options} of the JVM. Other static state of the JDK, of bundles and of modules is not examined, but an object of a
 * program's class in it is found by the class loader.
 *
 * <p><b>Threads.</b> Immutable. No rank may run while a snapshot is taken or compared.
 */
public final class JvmSnapshot {
    private static final long MAX_PAUSE_MILLIS = 16;

    /** Properties, defaults and streams, which are among the parts. */
    private final List<Examined> settings;
    private final List<Examined> parts;
    private final RankLoaders loaders;

    private JvmSnapshot(final List<Examined> settings, final List<Examined> parts, final RankLoaders loaders) {
        this.settings = settings;
        this.parts = parts;
        this.loaders = loaders;
    }

    /** The differences at one time, and whether all of them may go. */
    private record Look(List<String> differences, boolean mayGo) {
        boolean isWorthAWait(final Deadline deadline) {
            return !differences.isEmpty() && mayGo && !deadline.hasPassed();
        }
    }

    /** A part that cannot be examined. */
    private record Unexamined(Throwable reason) implements Examined {
        @Override
        public List<String> differences() {
            return List.of("cannot be examined: " + (reason.getMessage() == null ? reason : reason.getMessage()));
        }
    }

    /** Returns the options that a JVM needs to be examined. */
    public static List<String> options() {
        return List.of(JdkAccess.OPTION);
    }

    /**
     * Takes a snapshot of this JVM, in which no rank runs. Initialises the classes of the JDK that are examined, and those that keep
     * descriptors open.
     */
    public static JvmSnapshot take() {
        // what is set comes first: to initialise its classes may register, open or start something
        final List<Examined> settings = examine(Stream.concat(Stream.of(Setting.all(), SettingMap.all()).flatMap(s -> s),
            Stream.of(SystemProperties::now)));
        final Stream<Supplier<Examined>> others =
            Stream.of(LoggingState::now, ManagedBeans::now, ChildProcesses::now, CommonPool::new, SignalActions::now, OpenFiles::now,
                LiveThreads::now, JvmSnapshot::unsafeUses);
        final List<Examined> parts = new ArrayList<>(settings);
        parts.addAll(examine(Stream.concat(others, Registry.all())));
        return new JvmSnapshot(settings, parts, RankLoaders.now());
    }

    /** Returns the uses of {@code Unsafe} by programs: nobody can tell what they have changed. */
    private static Examined unsafeUses() {
        final int before = RankLoader.unsafeUses();
        return () -> RankLoader.unsafeUses() == before ? List.of() : List.of("a program has Unsafe, by which it may have changed anything");
    }

    private static List<Examined> examine(final Stream<Supplier<Examined>> all) {
        return all.map(JvmSnapshot::examine).filter(part -> part != Examined.NOTHING).toList();
    }

    private static Examined examine(final Supplier<Examined> part) {
        try {
            return part.get();
        } catch (final RuntimeException | LinkageError e) {
            return new Unexamined(e);
        }
    }

    /**
     * Returns what of this JVM is more or other than at the snapshot, in words for a log, one element each; empty when it is clean. Blocks for at
     * most {@code limit}, and for a few garbage collections, while ended threads and what a garbage collection closes go.
     *
     * <p>Returns at once when a difference cannot go. The class loaders of ranks are examined only if there is no other difference.
     */
    public List<String> differences(final Duration limit) throws InterruptedException {
        final Deadline deadline = Deadline.in(limit);
        Look look = look();
        if (look.isWorthAWait(deadline)) {
            // cleaners close what programs left open
            GarbageCollection.run(deadline);
            look = look();
        }
        for (long pause = 1; look.isWorthAWait(deadline); pause = Math.min(2 * pause, MAX_PAUSE_MILLIS)) {
            TimeUnit.MILLISECONDS.sleep(pause);
            look = look();
        }
        return look.differences().isEmpty() ? loaders.differences(deadline) : look.differences();
    }

    /** Returns which properties, defaults and streams of this JVM are other than at the snapshot, in words; empty when none is. */
    public List<String> changedSettings() {
        return settings.stream().flatMap(part -> differences(part).stream()).distinct().toList();
    }

    private Look look() {
        final List<String> found = new ArrayList<>();
        boolean mayGo = true;
        for (final Examined part : parts) {
            final List<String> differences = differences(part);
            mayGo &= differences.isEmpty() || part.mayGo();
            found.addAll(differences);
        }
        return new Look(found.stream().distinct().toList(), mayGo);
    }

    private static List<String> differences(final Examined part) {
        try {
            return part.differences();
        } catch (final RuntimeException | LinkageError e) {
            return new Unexamined(e).differences();
        }
    }
}
