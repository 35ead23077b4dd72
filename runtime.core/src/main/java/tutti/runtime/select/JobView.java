package tutti.runtime.select;

import java.lang.annotation.Annotation;
import java.util.HashMap;
import java.util.Map;
import org.osgi.util.converter.Converter;
import org.osgi.util.converter.Converters;
import tutti.coll.CollJob;
import tutti.coll.ThreadLevel;

/** A job as its modules see it. */
record JobView(String id, int size, ThreadLevel threadLevel, Map<String, String> parameters) implements CollJob {

    @Override
    public <A extends Annotation> A parameters(final String pid, final Class<A> type) {
        final Map<String, String> own = new HashMap<>();
        parameters.forEach((name, value) -> {
            if (name.startsWith(pid + ".")) {
                own.put(name.substring(pid.length() + 1), value);
            }
        });
        // a new converter for each call, since a converter may retain classes of the module
        final Converter converter = Converters.newConverterBuilder().build();
        return converter.convert(own).to(type);
    }
}
