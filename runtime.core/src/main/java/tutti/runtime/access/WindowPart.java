package tutti.runtime.access;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.inspect.WindowState;
import tutti.runtime.model.MpiFailure;

/** The part of one rank in a window, in the JVM of this rank: its memory, and the locks of ranks on it. Safe for any thread. */
public final class WindowPart {
    private final WindowMemory memory;
    private final WindowLocks locks;
    private final Map<Integer, MpiFailure> failures = new ConcurrentHashMap<>();
    private volatile Supplier<String> epoch = () -> WindowState.NO_EPOCH;

    /** Creates the part of a rank. */
    public WindowPart(final WindowMemory memory) {
        this.memory = memory;
        this.locks = new WindowLocks(memory.words());
    }

    /** Returns the memory. */
    public WindowMemory memory() {
        return memory;
    }

    /** Returns the locks on the memory. */
    public WindowLocks locks() {
        return locks;
    }

    /** Sets what tells, for users, which epoch the rank has in the window. */
    public void setEpoch(final Supplier<String> told) {
        epoch = told;
    }

    /** Returns the epoch that the rank has in the window, for users. */
    public String epoch() {
        return epoch.get();
    }

    /** Keeps the first failure of accesses of a rank that are not answered. */
    void failed(final int origin, final MpiFailure why) {
        failures.putIfAbsent(origin, why);
    }

    /** Removes the first failure of such accesses; returns null when none has failed. */
    @Nullable
    MpiFailure failure(final int origin) {
        return failures.remove(origin);
    }
}
