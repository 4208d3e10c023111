package graphs;

import java.util.*;
import java.util.function.ToDoubleFunction;

/** Weighted directed graphs with the searches one needs every day. */
public class GraphSearch<N extends Comparable<? super N>> {

    static class Edge<N> {
        final N target;
        final double weight;
        Edge(N target, double weight) { this.target = target; this.weight = weight; }
        @Override public String toString() { return "->" + target + "(" + weight + ")"; }
    }

    private final SortedMap<N, List<Edge<N>>> edges = new TreeMap<N, List<Edge<N>>>();
    private final Map<N, Map<N, Map<Integer, List<N>>>> pathCache = new HashMap<>();
    private int generation = 0;

    public GraphSearch<N> connect(N from, N to, double weight) {
        edges.computeIfAbsent(from, key -> new ArrayList<>()).add(new Edge<>(to, weight));
        edges.putIfAbsent(to, new ArrayList<Edge<N>>());
        generation++;
        return this;
    }

    public GraphSearch<N> link(N a, N b, double weight) {
        return connect(a, b, weight).connect(b, a, weight);
    }

    /** Breadth first: nodes with their distance in steps. */
    public Map<N, Integer> levels(N start) {
        Map<N, Integer> level = new LinkedHashMap<>();
        Queue<N> queue = new LinkedList<>();
        level.put(start, 0);
        queue.add(start);
        while (!queue.isEmpty()) {
            N node = queue.remove();
            for (Edge<N> edge : edges.getOrDefault(node, Collections.<Edge<N>>emptyList())) {
                if (!level.containsKey(edge.target)) {
                    level.put(edge.target, level.get(node) + 1);
                    queue.add(edge.target);
                }
            }
        }
        return level;
    }

    /** Dijkstra, or A* with an estimate that never exceeds the true distance. */
    public List<N> shortest(N start, N goal, ToDoubleFunction<? super N> estimate) {
        List<N> cached = pathCache.getOrDefault(start, Map.of()).getOrDefault(goal, Map.of()).get(generation);
        if (cached != null) return cached;

        Map<N, Double> distance = new HashMap<>();
        Map<N, N> previous = new HashMap<>();
        Set<N> done = new HashSet<>();
        PriorityQueue<Map.Entry<N, Double>> open =
            new PriorityQueue<>(Comparator.comparingDouble((Map.Entry<N, Double> e) -> e.getValue()));
        distance.put(start, 0.0);
        open.add(new AbstractMap.SimpleEntry<>(start, estimate.applyAsDouble(start)));
        while (!open.isEmpty()) {
            N node = open.poll().getKey();
            if (!done.add(node)) continue;
            if (node.compareTo(goal) == 0) break;
            double base = distance.get(node);
            for (Edge<N> edge : edges.get(node)) {
                double candidate = base + edge.weight;
                Double known = distance.get(edge.target);
                if (known == null || candidate < known) {
                    distance.put(edge.target, candidate);
                    previous.put(edge.target, node);
                    double guess = candidate + estimate.applyAsDouble(edge.target);
                    open.add(new AbstractMap.SimpleEntry<N, Double>(edge.target, guess));
                }
            }
        }
        LinkedList<N> path = new LinkedList<>();
        if (distance.containsKey(goal))
            for (N at = goal; at != null; at = previous.get(at))
                path.addFirst(at);
        pathCache.computeIfAbsent(start, k -> new HashMap<>())
                 .computeIfAbsent(goal, k -> new HashMap<>())
                 .put(generation, path);
        return path;
    }

    /** Depth first; null if there is a cycle. */
    public List<N> topologicalOrder() {
        Map<N, Boolean> finished = new HashMap<>();
        Deque<N> order = new ArrayDeque<>();
        for (N node : edges.keySet())
            if (!visit(node, finished, order))
                return null;
        return new ArrayList<>(order);
    }

    private boolean visit(N node, Map<N, Boolean> finished, Deque<N> order) {
        Boolean state = finished.get(node);
        if (state != null) return state;
        finished.put(node, false);
        for (Edge<N> edge : edges.get(node))
            if (!visit(edge.target, finished, order)) return false;
        finished.put(node, true);
        order.push(node);
        return true;
    }

    public static void main(String[] args) {
        GraphSearch<String> roads = new GraphSearch<>();
        roads.link("Basel", "Bern", 95).link("Bern", "Genf", 158.5).link("Basel", "Zürich", 87)
             .link("Zürich", "Chur", 1.2e2).connect("Chur", "Genf", 400);
        List<String> path = roads.shortest("Chur", "Genf", city -> 0);
        System.out.println(String.join(" > ", path));
        System.out.println(roads.levels("Basel"));
        System.out.println(roads.topologicalOrder() == null ? "cyclic" : "acyclic");
        @SuppressWarnings("unchecked")
        List<Map<String, List<Integer>>>[] buckets = (List<Map<String, List<Integer>>>[]) new List<?>[4];
        buckets[path.size() & 3] = new ArrayList<Map<String, List<Integer>>>();
        System.out.println(Arrays.toString(buckets));
    }
}
