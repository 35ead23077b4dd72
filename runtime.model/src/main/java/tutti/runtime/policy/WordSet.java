package tutti.runtime.policy;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A set of words, such as names of levels.
 *
 * @param words the words in alphabetical order, at least one
 */
public record WordSet(SortedSet<String> words) implements ConditionValues {
    /** Copies the words. */
    public WordSet {
        words = Collections.unmodifiableSortedSet(new TreeSet<>(words));
        if (words.isEmpty()) {
            throw new IllegalArgumentException("no words");
        }
    }

    /** Creates a set of some words. */
    static WordSet of(final Collection<String> words) {
        return new WordSet(new TreeSet<>(words));
    }

    /** Returns the set of one word, the text form of a value. */
    public static WordSet of(final Object word) {
        return of(Arrays.asList(word.toString()));
    }

    @Override
    public boolean covers(final @Nullable ConditionValues other) {
        return other instanceof final WordSet o && words.containsAll(o.words);
    }

    @Override
    public List<String> texts() {
        return List.copyOf(words);
    }

    @Override
    public String toString() {
        return String.join(SEPARATOR, words);
    }
}
