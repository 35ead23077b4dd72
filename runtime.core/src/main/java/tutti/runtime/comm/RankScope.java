package tutti.runtime.comm;

/**
 * Gives access to the rank of a program. Implemented by the class loader of the rank's program, so that a class defined per rank finds its rank
 * from any thread.
 */
public interface RankScope {

    /** Returns the rank whose program this loader loads. */
    Rank rank();
}
