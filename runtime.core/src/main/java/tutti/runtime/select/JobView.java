package tutti.runtime.select;

import java.lang.annotation.Annotation;
import java.util.Map;
import tutti.coll.CollJob;

/** A job as its modules see it. */
record JobView(String id, int size, ModuleParameters bound) implements CollJob {

    @Override
    public Map<String, String> parameters() {
        return bound.all();
    }

    @Override
    public <A extends Annotation> A parameters(final String pid, final Class<A> type) {
        return bound.of(pid, type);
    }
}
