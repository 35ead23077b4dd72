package tutti.runtime.process.snapshot;

import java.util.List;
import tutti.runtime.process.RankLoader;

/**
 * Uses of {@code Unsafe} by programs: nobody can tell what they have changed.
 *
 * @param before how many there were at the snapshot
 */
record UnsafeUses(int before) implements Examined {
    static UnsafeUses now() {
        return new UnsafeUses(RankLoader.unsafeUses());
    }

    @Override
    public List<String> differences() {
        return RankLoader.unsafeUses() == before ? List.of() : List.of("a program has Unsafe, by which it may have changed anything");
    }
}
