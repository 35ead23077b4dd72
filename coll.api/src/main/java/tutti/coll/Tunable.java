package tutti.coll;

import java.util.ArrayList;
import java.util.List;

/**
 * A parameter of a module that one of its algorithms reads. A rule, or the user, may give it another value for the calls that this algorithm serves:
 * {@code tree/kary:branches=4}.
 *
 * @param parameter  name of the parameter as the module declares it, without the prefix {@code coll.NAME.}
 * @param limit      number above which all values have the same effect
 * @param candidates values that {@code tutti tune} measures besides the value of the job; may be empty
 */
public record Tunable(String parameter, Limit limit, List<Long> candidates) {
    /** The number above which all values of a parameter have the same effect: a call has the same plan for all values that are not below it. */
    public enum Limit {
        /** The number of ranks of the communicator. */
        RANKS,
        /** The bytes of the call, as rules count them. */
        BYTES,
        /** None. */
        NONE
    }

    /** Copies the list. */
    public Tunable {
        candidates = List.copyOf(candidates);
    }

    /** Returns a parameter that counts ranks or messages to different ranks, with limit {@link Limit#RANKS}. */
    public static Tunable ranks(final String parameter, final long... candidates) {
        return new Tunable(parameter, Limit.RANKS, list(candidates));
    }

    /** Returns a parameter that is a length in bytes, with limit {@link Limit#BYTES}. */
    public static Tunable bytes(final String parameter, final long... candidates) {
        return new Tunable(parameter, Limit.BYTES, list(candidates));
    }

    private static List<Long> list(final long... values) {
        final List<Long> list = new ArrayList<>();
        for (final long v : values) {
            list.add(v);
        }
        return list;
    }
}
